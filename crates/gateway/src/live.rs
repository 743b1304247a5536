//! Keeps the served build up to date: when a file, a description at an address or a signal requires it, everything is built
//! again and replaces the old build. If that fails, the last good build stays and the log says why.

mod documents;
mod folders;
mod rebuild;
mod signals;
mod watch;

use std::{
    collections::BTreeSet,
    path::PathBuf,
    pin::pin,
    time::{Duration, SystemTime},
};

use callgate_config::{Built, ReloadConfig};
use callgate_executor::{Change, Changes};
use tokio::{
    sync::watch::Receiver,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until},
};

use self::{documents::FollowedDocuments, rebuild::RebuildOutcome, signals::Hangups, watch::Watch};
use crate::{
    gateway::Gateway,
    observe::prometheus,
    reloads::{Cause, End, Reload},
    source::Source,
    stamps::{Look, Stamps, TICK},
};

/// Keeps a gateway up to date until it is dropped.
#[derive(Debug)]
pub struct Live(JoinHandle<()>);

impl Live {
    /// Watches the sources of the gateway's build. Needs a runtime.
    ///
    /// ```no_run
    /// use callgate_config::DescriptionOptions;
    /// use callgate_gateway::{Gateway, Live, Source};
    ///
    /// # async fn serve() -> Result<(), callgate_config::Error> {
    /// let source = Source::file("callgate.yaml", DescriptionOptions::default());
    /// let gateway = Gateway::new(source.build(None).await?);
    /// let live = Live::start(&gateway, source);
    /// # drop(live);
    /// # Ok(())
    /// # }
    /// ```
    pub fn start(gateway: &Gateway, source: Source) -> Self {
        let keeper = ReloadLoop::new(gateway.clone(), source);
        Self(tokio::spawn(keeper.run()))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Debug)]
struct ReloadLoop {
    gateway: Gateway,
    source: Source,
    askings: Receiver<u64>,
    hangups: Hangups,
    watch: Watch,
    /// The files that affect the next build, as they were before the last build read them.
    stamps: Stamps,
    settings: ReloadConfig,
    documents: FollowedDocuments,
    /// The time of the next file check without a reported change.
    look: Instant,
    /// The time at which addresses are fetched again.
    ask: Instant,
    /// The wait after the last failure; it doubles up to the interval.
    patience: Duration,
    /// True if the next build is needed because files may have changed while they were read.
    doubts: bool,
}

impl ReloadLoop {
    fn new(gateway: Gateway, source: Source) -> Self {
        let (askings, built) = (gateway.reloads().request_counter(), gateway.current_build());
        let now = Instant::now();
        let mut keeper = Self {
            askings,
            hangups: Hangups::new(),
            watch: Watch::new(),
            stamps: Stamps::from_files_read_since(
                built.files(),
                source.first_build_start().unwrap_or_else(SystemTime::now),
            ),
            settings: built.reload.clone(),
            documents: FollowedDocuments::from_build(&built),
            look: now + LOOK,
            ask: now,
            patience: FIRST_PATIENCE,
            doubts: false,
            gateway,
            source,
        };
        keeper.watch_and_schedule_fetch(now);
        prometheus::set_build_metrics(&keeper.gateway.current_build(), true);
        keeper
    }

    async fn run(mut self) {
        loop {
            let cause = self.next_reload_cause().await;
            let is_asked = self.askings.has_changed().unwrap_or(false);
            let n_asked = *self.askings.borrow_and_update();
            let at = SystemTime::now();
            let stamped_files = self.stamps.files();
            let rebuilt = rebuild::rebuild(&self.gateway, &self.source, stamped_files).await;
            let RebuildOutcome { end, files, stamps } = rebuilt;
            self.doubts &= stamps.has_same_stamps(&self.stamps);
            self.stamps = stamps.with_exactly_files(&files, at);
            self.settings = self.gateway.current_build().reload.clone();
            self.documents.take_build(&self.gateway.current_build());
            self.watch_and_schedule_fetch(Instant::now());
            // Set before the log is written, so that the numbers match it.
            prometheus::set_build_metrics(
                &self.gateway.current_build(),
                matches!(end, End::Replaced(..)),
            );
            let is_news = match &end {
                End::Refused(_) => true,
                End::Replaced(changes, waiting) => {
                    !changes.list().is_empty() || !waiting.is_empty()
                }
            };
            // A history of checks without changes helps nobody, but a requested reload must have an end.
            let is_look = cause == Cause::Address || self.doubts;
            if is_news || is_asked || !is_look {
                log_reload(cause, &end);
                self.gateway.reloads().record_end(n_asked, Reload { at, cause, end });
            }
        }
    }

    /// Watches the right folders, and sets the time when addresses are fetched next.
    fn watch_and_schedule_fetch(&mut self, now: Instant) {
        self.watch_folders();
        let built = self.gateway.current_build();
        let lacks = has_failed_source(&built);
        self.patience = if lacks { self.patience * 2 } else { FIRST_PATIENCE };
        self.patience = self.patience.min(self.settings.interval);
        self.ask = now + if lacks { self.patience } else { self.settings.interval };
    }

    fn watch_folders(&mut self) {
        let watched = self.stamps.files().iter().filter(|_| self.settings.watch);
        let mut folders: BTreeSet<PathBuf> =
            watched.flat_map(|file| folders::folders_leading_to(file)).collect();
        if self.settings.watch {
            folders.extend(self.documents.folders().iter().cloned());
        }
        self.watch.watch_exactly(folders);
    }

    /// True if a file has changed that a build reads. Otherwise documents that have changed are read again.
    async fn has_changed_else_refresh(&mut self) -> bool {
        if self.settings.watch && self.compare_files_with_stamps().await != Look::Same {
            return true;
        }
        let built = self.gateway.current_build();
        if self.documents.refresh_indexes_and_folder_set(&built).await {
            self.watch_folders();
        }
        false
    }

    async fn next_reload_cause(&mut self) -> Cause {
        // Changes before the folder was watched are not reported.
        let look =
            if self.settings.watch { self.compare_files_with_stamps().await } else { Look::Same };
        self.doubts = look == Look::Doubtful;
        if look != Look::Same {
            // Later writes get another time.
            sleep(TICK).await;
            return Cause::File;
        }
        // It goes on while addresses are fetched, or a change before a fetch would be forgotten.
        let mut changes = pin!(self.watch.wait_for_settled_change());
        loop {
            tokio::select! {
                Ok(()) = self.askings.changed() => return Cause::Request,
                () = self.hangups.wait_for_hangup() => return Cause::Signal,
                () = changes.as_mut() => {
                    changes.set(self.watch.wait_for_settled_change());
                    if self.has_changed_else_refresh().await {
                        return Cause::File;
                    }
                }
                () = sleep_until(self.look) => {
                    self.look = Instant::now() + LOOK;
                    prometheus::run_histogram_upkeep();
                    if self.has_changed_else_refresh().await {
                        return Cause::File;
                    }
                }
                () = sleep_until(self.ask) => {
                    self.ask = Instant::now() + self.settings.interval;
                    let built = self.gateway.current_build();
                    if has_failed_source(&built) || built.is_outdated().await {
                        return Cause::Address;
                    }
                }
            }
        }
    }

    async fn compare_files_with_stamps(&self) -> Look {
        let stamps = self.stamps.clone();
        let looked = tokio::task::spawn_blocking(move || stamps.compare_with_files());
        looked.await.unwrap_or(Look::Same)
    }
}

/// True if a description or a database has to be tried again soon.
fn has_failed_source(built: &Built) -> bool {
    let mut toolsets = built.toolsets.iter();
    toolsets.any(|one| one.failure().is_some() || one.stale.is_some())
        || built.sources.iter().any(|source| source.failure.is_some())
}

fn log_reload(cause: Cause, end: &End) {
    let outcome = end.as_str();
    metrics::counter!("callgate_reloads_total", "outcome" => outcome).increment(1);
    match end {
        End::Refused(faults) => {
            let (cause, faults) = (cause.as_str(), faults.join("; "));
            tracing::warn!(
                cause,
                faults,
                "the last good configuration stays: the new one has faults"
            );
        }
        End::Replaced(changes, waiting) => {
            log_changes(cause, changes);
            waiting.iter().copied().for_each(log_restart_needed);
        }
    }
}

fn log_changes(cause: Cause, changes: &Changes) {
    let (cause, n_changes, breaking) =
        (cause.as_str(), changes.list().len(), changes.is_breaking());
    tracing::info!(cause, changes = n_changes, breaking, "reloaded");
    changes.list().iter().take(MOST_TOLD).for_each(log_change);
}

fn log_restart_needed(key: &str) {
    tracing::warn!("a change of `{key}` needs a restart: what the sidecar started with stays");
}

fn log_change(change: &Change) {
    let breaking = change.is_breaking();
    tracing::info!(breaking, "changed for agents: {change}");
}

/// The interval between file checks without a reported change: network file systems report none.
const LOOK: Duration = Duration::from_secs(10);

/// The wait before a failed fetch of a description is retried.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);

const MOST_TOLD: usize = 50;

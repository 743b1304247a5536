//! Is told by the system when something changes in folders, and waits until it is over. What changed is not asked: that
//! shows in the stamps of the files.

use std::{collections::BTreeSet, fmt, path::PathBuf, sync::Arc, time::Duration};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout, timeout_at},
};

/// Folders that are watched.
pub(super) struct Watch {
    changed: Arc<Notify>,
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
}

impl Watch {
    /// Watches nothing yet. Where the system cannot watch, files are only looked at from time to time.
    pub(super) fn new() -> Self {
        let changed = Arc::new(Notify::new());
        let told = Arc::clone(&changed);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| may_change(event.kind)) {
                told.notify_one();
            }
        });
        let watcher = watcher.map_err(|error| {
            let error = error.to_string();
            tracing::warn!(error, "files cannot be watched: they are looked at every ten seconds");
        });
        Self { changed, watcher: watcher.ok(), folders: BTreeSet::new() }
    }

    /// Watches these folders and no others. Those that are watched already are watched anew: another one may stand there by
    /// now.
    pub(super) fn set(&mut self, folders: BTreeSet<PathBuf>) {
        let Some(watcher) = &mut self.watcher else { return };
        for folder in &self.folders {
            // Fails for one that is gone.
            watcher.unwatch(folder).ok();
        }
        for folder in &folders {
            // One that is not there is looked at from time to time.
            watcher.watch(folder, RecursiveMode::NonRecursive).ok();
        }
        self.folders = folders;
    }

    /// Waits for a change, and until nothing more changes.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
        let latest = Instant::now() + MOST_UNREST;
        let still = async { while timeout(REST, self.changed.notified()).await.is_ok() {} };
        timeout_at(latest, still).await.ok();
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("folders", &self.folders).finish_non_exhaustive()
    }
}

/// Our own reading changes nothing.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// The wait for further changes: a program that writes several files takes less between two of them.
const REST: Duration = Duration::from_millis(100);

/// A folder in which something changes all the time does not keep its files from being read.
const MOST_UNREST: Duration = Duration::from_secs(2);

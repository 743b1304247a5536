//! Receives the system's reports of changes in folders, and waits until the changes stop. The stamps of the files show
//! which ones changed.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout, timeout_at},
};

pub(super) struct Watch {
    changed: Arc<Notify>,
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
}

impl Watch {
    /// Watches nothing yet. If the system cannot watch, files are only checked periodically.
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

    /// Watches exactly these folders. Folders that are already watched are watched anew, because they may have been replaced.
    pub(super) fn watch_exactly(&mut self, folders: BTreeSet<PathBuf>) {
        let Some(watcher) = &mut self.watcher else { return };
        for folder in &self.folders {
            // Fails for a folder that no longer exists.
            watcher.unwatch(folder).ok();
        }
        for folder in &folders {
            // A missing folder is checked periodically.
            watcher.watch(folder, RecursiveMode::NonRecursive).ok();
        }
        self.folders = folders;
    }

    /// Waits for a change, and then until the changes stop. A change is forgotten if the wait is dropped meanwhile.
    pub(super) fn wait_for_settled_change(&self) -> impl Future<Output = ()> + use<> {
        let changed = Arc::clone(&self.changed);
        async move {
            changed.notified().await;
            let latest = Instant::now() + MOST_UNREST;
            timeout_at(latest, wait_for_rest(&changed)).await.ok();
        }
    }
}

callgate_secret::opaque!(Watch { folders });

/// Waits until nothing has changed for a while.
async fn wait_for_rest(changed: &Notify) {
    while timeout(REST, changed.notified()).await.is_ok() {}
}

/// False for events of our own reading, which changes nothing.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// The wait for further changes: a program that writes several files pauses less between them.
const REST: Duration = Duration::from_millis(100);

/// The longest wait, so that a folder with constant changes does not delay the reading of its files.
const MOST_UNREST: Duration = Duration::from_secs(2);

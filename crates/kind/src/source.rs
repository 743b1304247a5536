//! The source of an opened toolset, for whoever checks or serves it: whether it answers, and what changes in it.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_executor::Backend;
use callgate_settings::Finding;
use callgate_tool::ToolName;
use callgate_tree::SettingFinding;
use futures_util::future::BoxFuture;

/// The source of an opened toolset that may be away, or whose contents change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenedSource {
    /// The key of its kind: `database`.
    pub key: &'static str,
    /// The toolset's name.
    pub name: String,
    /// True if the operator requires the toolset: without it a sidecar is not ready.
    pub is_required: bool,
    /// True if the load had leave to ask it.
    pub is_asked: bool,
    /// The reason why it cannot be reached; its tools exist, and their calls fail.
    pub failure: Option<String>,
    /// The finding about a source that cannot be reached.
    pub unreachable: Option<Finding>,
    /// The part that follows changes in it.
    pub followed: Option<Arc<dyn Followed>>,
    /// The file of the configuration.
    pub(crate) origin: PathBuf,
}

impl OpenedSource {
    /// The findings about its contents, as they are now.
    pub fn findings(&self) -> Vec<Finding> {
        let findings = self.followed.iter().flat_map(|followed| followed.findings());
        findings.map(|finding| finding_at(&self.origin, &self.name, finding)).collect()
    }
}

/// A finding with its place below a toolset as one of the configuration.
pub(crate) fn finding_at(origin: &Path, toolset: &str, finding: SettingFinding) -> Finding {
    let SettingFinding { severity, code, pointer, message, help, .. } = finding;
    let pointer = format!("/toolsets/{toolset}{pointer}");
    Finding::new(origin, severity, code, message).at(pointer).with_help(help)
}

/// A source whose contents change while it is served.
pub trait Followed: fmt::Debug + Send + Sync {
    /// Compares what is known with the source, and reads again what has changed: at once, or a second after the last comparison.
    fn refresh(&self) -> BoxFuture<'_, ()>;

    /// The findings as they are now, each with its place below the toolset: `/documents/folder`.
    fn findings(&self) -> Vec<SettingFinding>;

    /// The size of the index now.
    fn index_counts(&self) -> Counts;

    /// The folders whose changes matter.
    fn watched_folders(&self) -> BTreeSet<PathBuf>;

    /// Its search as a tool of another toolset; `description` is its own unless it is empty.
    fn search_tool(&self, toolset: &str, name: ToolName, description: &str) -> Arc<dyn Backend>;
}

/// The size of an index.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// The number of files.
    pub files: usize,
    /// The number of documents: files, and rows of tables.
    pub documents: usize,
    /// The number of pieces of text that can be found.
    pub pieces: usize,
    /// The size of the index in bytes.
    pub bytes: usize,
}

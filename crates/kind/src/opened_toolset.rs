//! An opened toolset: its tools, what it keeps for a later build, and what changes under it while it is served.

use std::{any::Any, collections::BTreeSet, fmt, path::PathBuf, sync::Arc};

use callgate_executor::Backend;
use callgate_tool::ToolName;
use callgate_transport::Transport;
use callgate_tree::SettingFinding;
use futures_util::future::BoxFuture;

use crate::edits::EditedBackend;

/// What opening a toolset gives.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a kind decides about each of these")]
pub struct Opened {
    /// The tools, by their names without edits; or the reason why nothing but their names is known.
    pub tools: Result<Vec<Arc<dyn Backend>>, Absence>,
    /// The findings, each with its place in the configuration.
    pub findings: Vec<SettingFinding>,
    /// The origins of the services that calls need, with the ways there.
    pub services: Vec<(String, Arc<dyn Transport>)>,
    /// The part that follows changes outside of the configuration.
    pub followed: Option<Arc<dyn Followed>>,
    /// The part that the next build may use again.
    pub kept: Option<Kept>,
}

/// A value of a kind that others hand on without knowing its type: what a later build may use again, the settings of a whole
/// configuration.
#[derive(Clone)]
pub struct Kept(Arc<dyn Any + Send + Sync>);

impl Kept {
    /// Keeps a value.
    pub fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The value, if it is of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl Opened {
    /// A toolset with nothing but these tools.
    pub fn with_tools(tools: Vec<Arc<dyn Backend>>) -> Self {
        let (findings, services, followed, kept) = (Vec::new(), Vec::new(), None, None);
        Self { tools: Ok(tools), findings, services, followed, kept }
    }

    /// A toolset of which nothing but the names of its tools is known.
    pub fn absent(absence: Absence) -> Self {
        Self { tools: Err(absence), ..Self::with_tools(Vec::new()) }
    }

    /// A toolset without tools, because of these faults.
    pub fn with_faults(findings: Vec<SettingFinding>) -> Self {
        Self { findings, ..Self::with_tools(Vec::new()) }
    }
}

/// The reason why nothing but the names of tools is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Absence {
    /// An export names the source, and the operator did not write that it may be asked.
    NamedByExport,
    /// The source did not answer.
    Unavailable,
    /// The load had no leave to ask the source.
    Unasked,
}

/// A source whose contents change while it is served.
pub trait Followed: fmt::Debug + Send + Sync {
    /// Compares what is known with the source, and reads again what has changed.
    fn refresh(&self) -> BoxFuture<'_, ()>;

    /// The findings as they are now, each with its place below the toolset: `/documents/folder`.
    fn findings(&self) -> Vec<SettingFinding>;

    /// The size of the index now.
    fn counts(&self) -> Counts;

    /// The folders whose changes matter.
    fn folders(&self) -> BTreeSet<PathBuf>;

    /// Its search as a tool of another toolset; `description` is its own unless it is empty.
    fn search_tool(&self, toolset: &str, name: ToolName, description: &str) -> Arc<dyn Backend>;
}

/// The size of an index.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an index has these sizes")]
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

/// A toolset that was opened, with the operator's edits applied to its tools.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "whoever builds uses each of these")]
pub struct OpenedToolset {
    /// The name.
    pub name: String,
    /// The tools.
    pub tools: Vec<EditedBackend>,
    /// The origins of the services that calls need, with the ways there.
    pub services: Vec<(String, Arc<dyn Transport>)>,
    /// The part that follows changes outside of the configuration.
    pub followed: Option<Arc<dyn Followed>>,
    /// The part that the next build may use again.
    pub kept: Option<Kept>,
}

/// The toolsets of a configuration, seen from one of them.
#[derive(Clone, Copy, Debug)]
pub struct Siblings<'a> {
    /// The names of all, each with the key of its kind.
    pub(crate) named: &'a [(String, &'static str)],
    /// Those that were opened before.
    pub(crate) opened: &'a [OpenedToolset],
}

impl<'a> Siblings<'a> {
    /// True if the configuration has a toolset of this name and kind.
    pub fn has(&self, name: &str, key: &str) -> bool {
        self.named.iter().any(|(entry, of)| entry == name && *of == key)
    }

    /// The part of an opened toolset that follows its source.
    pub fn followed_toolset(&self, name: &str) -> Option<&'a dyn Followed> {
        let sibling = self.opened.iter().find(|sibling| sibling.name == name)?;
        sibling.followed.as_deref()
    }
}

//! An opened toolset: its tools, or the reason why they have nothing but names.

use std::sync::Arc;

use callgate_executor::Backend;
use callgate_transport::Transport;
use callgate_tree::SettingFinding;

use crate::{
    edits::EditedBackend,
    kept_value::Kept,
    source::{Followed, OpenedSource},
};

/// What opening a toolset gives.
#[derive(Debug)]
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

    /// A toolset whose source did not answer, for this reason.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::absent(Absence::Unavailable(why.into()))
    }

    /// A toolset without tools, because of these faults.
    pub fn with_faults(findings: Vec<SettingFinding>) -> Self {
        Self { findings, ..Self::with_tools(Vec::new()) }
    }
}

/// The reason why nothing but the names of tools is known.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Absence {
    /// An export names the source, and the operator did not write that it may be asked.
    NamedByExport,
    /// The source did not answer, for this reason.
    Unavailable(String),
    /// The load had no leave to ask the source.
    Unasked,
}

/// A toolset that was opened, with the operator's edits applied to its tools.
#[derive(Debug)]
pub struct OpenedToolset {
    /// The name.
    pub name: String,
    /// The tools.
    pub tools: Vec<EditedBackend>,
    /// The reason why the tools have nothing but names; `None` if their source described them, now or before.
    pub absence: Option<Absence>,
    /// The origins of the services that calls need, with the ways there.
    pub services: Vec<(String, Arc<dyn Transport>)>,
    /// The source, if it may be away or change.
    pub source: Option<OpenedSource>,
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
        self.named.iter().any(|(toolset, kind)| toolset == name && *kind == key)
    }

    /// The tools of a toolset that was opened before.
    ///
    /// # Errors
    /// The reason why nothing but their names is known.
    pub fn tools(&self, name: &str) -> Result<&'a [EditedBackend], Absence> {
        match self.sibling(name) {
            Some(OpenedToolset { absence: Some(absence), .. }) => Err(absence.clone()),
            Some(OpenedToolset { tools, .. }) if !tools.is_empty() => Ok(tools),
            // Its fault is reported.
            _ => Err(Absence::Unavailable("its toolset has no tools".to_owned())),
        }
    }

    /// The part of an opened toolset that follows its source.
    pub fn followed_toolset(&self, name: &str) -> Option<&'a dyn Followed> {
        self.sibling(name)?.source.as_ref()?.followed.as_deref()
    }

    fn sibling(&self, name: &str) -> Option<&'a OpenedToolset> {
        self.opened.iter().find(|sibling| sibling.name == name)
    }
}

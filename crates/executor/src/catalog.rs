//! Finds a tool by its name: exactly, or else the one tool that is left when case and `- _ .` are folded. The order
//! of the tools is the order of the toolsets and of their descriptions.

use std::{collections::BTreeMap, sync::Arc};

use callgate_tool::ToolName;

use crate::backend::Backend;

/// How many names are offered for one that nobody knows.
const NEAREST: usize = 3;
/// How alike two names must be to be offered, from 0 to 1.
const ALIKE: f64 = 0.5;

/// Every tool by its name.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    backends: Vec<(ToolName, Arc<dyn Backend>)>,
    exact: BTreeMap<ToolName, usize>,
    /// `None` where several tools fold to the same name.
    folded: BTreeMap<String, Option<usize>>,
}

/// A tool that was found.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) name: &'a ToolName,
    pub(crate) backend: &'a Arc<dyn Backend>,
}

impl Catalog {
    /// Adds a tool; the first of two tools of the same name stays.
    pub(crate) fn add(&mut self, name: &ToolName, backend: Arc<dyn Backend>) {
        if self.exact.contains_key(name) {
            return;
        }
        let at = self.backends.len();
        self.exact.insert(name.clone(), at);
        self.folded
            .entry(fold(name.as_str()))
            .and_modify(|known| *known = None)
            .or_insert(Some(at));
        self.backends.push((name.clone(), backend));
    }

    /// Every tool in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Found<'_>> {
        self.backends.iter().map(|(name, backend)| Found { name, backend })
    }

    /// The tool a call means by `asked`.
    pub(crate) fn find(&self, asked: &str) -> Option<Found<'_>> {
        let exact = self.exact.get(asked).copied();
        let at = exact.or_else(|| self.folded.get(&fold(asked)).copied().flatten())?;
        self.backends.get(at).map(|(name, backend)| Found { name, backend })
    }

    /// The names most like `asked`, the likest first.
    pub(crate) fn nearest(&self, asked: &str) -> Vec<&str> {
        let asked = fold(asked);
        let mut alike: Vec<(f64, &str)> = self
            .backends
            .iter()
            .map(|(name, _)| (strsim::jaro_winkler(&asked, &fold(name.as_str())), name.as_str()))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .collect();
        alike.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        alike.into_iter().take(NEAREST).map(|(_, name)| name).collect()
    }
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase).collect()
}

//! Finds out which members a name pattern matches, like the check of arguments. A pattern that cannot be run matches every
//! name: the session may then give too much, but the model never gives a value that it must not.

use std::{collections::BTreeMap, sync::Arc};

use callgate_openapi::Bindings;

use crate::check::{Budget, Pattern};

/// The patterns of an operation, each compiled on first use.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<Arc<str>, Pattern>);

impl Names {
    pub(crate) fn of(bindings: &[Bindings]) -> Self {
        let nodes = bindings.iter().flat_map(|bindings| &bindings.nodes);
        let patterns = nodes.flat_map(|node| {
            let named = node.patterns.iter().map(|(pattern, _)| pattern);
            named.chain(&node.declared_patterns)
        });
        Self(patterns.map(|pattern| (Arc::clone(pattern), Pattern::new(pattern))).collect())
    }

    /// True if a pattern matches a name, or if matching takes too long.
    pub(crate) fn fit(&self, pattern: &str, name: &str) -> bool {
        let matches = |pattern: &Pattern| pattern.matches(name, &mut Budget::of(Budget::CALL));
        self.0.get(pattern).is_none_or(|pattern| matches(pattern).unwrap_or(true))
    }
}

//! Tells which members a pattern of their names means, as the check of arguments reads it. A pattern that cannot be run
//! means every name: then the session gives more than it should, and the model never what it must not.

use std::{collections::BTreeMap, sync::Arc};

use callgate_openapi::Bindings;

use crate::check::{Budget, Pattern};

/// The patterns of an operation, each compiled when a name first meets it.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<Arc<str>, Pattern>);

impl Names {
    /// The patterns of these graphs.
    pub(crate) fn of(bindings: &[Bindings]) -> Self {
        let spots = bindings.iter().flat_map(|bindings| &bindings.spots);
        let patterns = spots.flat_map(|spot| {
            let named = spot.patterns.iter().map(|(pattern, _)| pattern);
            named.chain(&spot.declared_patterns)
        });
        Self(patterns.map(|pattern| (Arc::clone(pattern), Pattern::new(pattern))).collect())
    }

    /// True for a name that a pattern means, and where finding out takes too long.
    pub(crate) fn fit(&self, pattern: &str, name: &str) -> bool {
        let matches = |pattern: &Pattern| pattern.matches(name, &mut Budget::of(Budget::CALL));
        self.0.get(pattern).is_none_or(|pattern| matches(pattern).unwrap_or(true))
    }
}

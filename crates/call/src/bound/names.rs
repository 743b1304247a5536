//! Tells which members a pattern of their names means. A pattern that cannot be run means every name: then the session
//! gives more than it should, and the model never what it must not.

use std::{collections::BTreeMap, fmt, sync::Arc};

use callgate_openapi::Bindings;
use regex::{Regex, RegexBuilder};

/// The patterns of an operation, ready to run.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<Arc<str>, Option<Regex>>);

impl Names {
    /// The patterns of these graphs.
    pub(crate) fn of(bindings: &[Bindings]) -> Self {
        let spots = bindings.iter().flat_map(|bindings| &bindings.spots);
        let patterns = spots.flat_map(|spot| {
            let named = spot.patterns.iter().map(|(pattern, _)| pattern);
            named.chain(&spot.declared_patterns)
        });
        let compiled = |pattern: &str| {
            RegexBuilder::new(pattern).size_limit(LARGEST).nest_limit(DEEPEST).build().ok()
        };
        Self(patterns.map(|pattern| (Arc::clone(pattern), compiled(pattern))).collect())
    }

    /// Whether a pattern means a name.
    pub(crate) fn fit(&self, pattern: &str, name: &str) -> bool {
        let known = self.0.get(pattern);
        known.and_then(Option::as_ref).is_none_or(|pattern| pattern.is_match(name))
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Names").field(&self.0.keys()).finish()
    }
}

/// The bytes a pattern may take; those of names are short.
const LARGEST: usize = 1 << 20;

/// Real patterns of names are less deep than five groups.
const DEEPEST: u32 = 50;

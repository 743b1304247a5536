//! Tools that are functions, such as those that the client runs. They come from no description, so the reports of descriptions
//! do not count them.

use std::collections::BTreeSet;

use callgate_config::Built;
use callgate_executor::Entry;

pub(crate) fn function_count(built: &Built) -> usize {
    function_entries(built).count()
}

/// The names of the toolsets that have functions and no description, in the order of their functions.
pub(crate) fn function_only_toolsets(built: &Built) -> Vec<&str> {
    let described = built.toolsets.iter().map(|toolset| toolset.name.as_str());
    let mut seen_names: BTreeSet<&str> = described.collect();
    function_entries(built).map(Entry::toolset).filter(|name| seen_names.insert(*name)).collect()
}

pub(crate) fn function_entries(built: &Built) -> impl Iterator<Item = Entry<'_>> {
    built.executor.entries().filter(|entry| entry.operation().is_none())
}

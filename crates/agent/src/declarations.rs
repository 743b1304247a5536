//! The declarations of an agent's tools, made once and shared by its turns, and a search for their names in a conversation.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use aho_corasick::AhoCorasick;
use callgate_dialect::Dialect;
use callgate_executor::{CallRights, Entry, Executor};
use callgate_tool::Json;

/// The tools of an agent, in the order of the executor. Each has a place.
#[derive(Debug)]
pub(crate) struct Declarations {
    executor: Executor,
    dialect: Dialect,
    tools: Vec<AgentTool>,
    places: BTreeMap<Arc<str>, usize>,
    /// Finds the names of all tools in one pass over a text.
    names: OnceLock<Option<AhoCorasick>>,
}

#[derive(Debug)]
struct AgentTool {
    name: Arc<str>,
    /// Made when it is sent for the first time: of many tools, most never are.
    declaration: OnceLock<Option<Json>>,
}

impl Declarations {
    pub(crate) fn new(
        executor: &Executor,
        dialect: Dialect,
        is_offered: impl Fn(Entry<'_>) -> bool,
    ) -> Self {
        let tool = |entry: Entry<'_>| AgentTool {
            name: entry.name().as_str().into(),
            declaration: OnceLock::new(),
        };
        let tools: Vec<_> =
            executor.entries().filter(|entry| is_offered(*entry)).map(tool).collect();
        let places = tools.iter().enumerate().map(|(place, tool)| (Arc::clone(&tool.name), place));
        let places = places.collect();
        Self { executor: executor.clone(), dialect, tools, places, names: OnceLock::new() }
    }

    pub(crate) fn executor(&self) -> &Executor {
        &self.executor
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The places of the tools that can be called by these rights.
    pub(crate) fn permitted_tool_indexes(&self, rights: &CallRights) -> Vec<usize> {
        let is_usable = |tool: &AgentTool| {
            self.executor.find(&tool.name).is_some_and(|it| it.is_permitted(rights))
        };
        let tools = self.tools.iter().enumerate();
        tools.filter(|(_, tool)| is_usable(tool)).map(|(place, _)| place).collect()
    }

    pub(crate) fn tool_index(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The tool at a place.
    pub(crate) fn entry(&self, place: usize) -> Option<Entry<'_>> {
        self.executor.find(&self.tools.get(place)?.name)
    }

    /// The declaration of a tool, if a model may call it.
    pub(crate) fn declaration(&self, place: usize) -> Option<&Json> {
        let tool = self.tools.get(place)?;
        let made = || {
            let declared = self.entry(place)?.declaration()?;
            Some(Json::from(self.dialect.declaration(declared)))
        };
        tool.declaration.get_or_init(made).as_ref()
    }

    /// The places of the tools whose names a text has, in order.
    pub(crate) fn named_tool_indexes(&self, text: &str) -> Vec<usize> {
        let names = self.names.get_or_init(|| {
            // Only a set of names beyond what a machine can number has no search.
            AhoCorasick::new(self.tools.iter().map(|tool| tool.name.as_bytes())).ok()
        });
        let Some(names) = names else { return Vec::new() };
        let matches = names.find_overlapping_iter(text);
        let mut places: Vec<_> =
            matches.map(|name_match| name_match.pattern().as_usize()).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

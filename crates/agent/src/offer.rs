//! The tools of one turn: those of the agent that its caller may use. Only they are declared, and only they are called.

use std::collections::BTreeSet;

use callgate_call::wording;
use callgate_dialect::Dialect;
use callgate_executor::{Entry, Executor};
use callgate_tool::{Fault, Json, Tool};

/// The tools that a model may call in a turn.
#[derive(Debug)]
pub(crate) struct Offered {
    executor: Executor,
    names: BTreeSet<String>,
    /// The declarations, in the model's dialect; they are sent in each round.
    pub(crate) declarations: Vec<Json>,
}

impl Offered {
    pub(crate) fn new(
        executor: &Executor,
        dialect: Dialect,
        is_offered: impl Fn(Entry<'_>) -> bool,
    ) -> Self {
        let entries: Vec<_> = executor.entries().filter(|entry| is_offered(*entry)).collect();
        let names = entries.iter().map(|entry| entry.name().to_string()).collect();
        let tools = entries.iter().filter_map(|entry| entry.declaration());
        let declarations = tools.map(|tool| Json::from(dialect.declaration(tool))).collect();
        Self { executor: executor.clone(), names, declarations }
    }

    /// The tool that a name of the model means.
    pub(crate) fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.executor.find(name).filter(|entry| self.names.contains(entry.name().as_str()))
    }

    pub(crate) fn declared(&self, name: &str) -> Option<&Tool> {
        self.find(name).and_then(Entry::declaration)
    }

    /// The fault of a call of a tool that is not offered.
    pub(crate) fn unknown(&self, name: &str) -> Box<Fault> {
        let is_offered = |entry: Entry<'_>| self.names.contains(entry.name().as_str());
        wording::unknown_tool(name, &self.executor.nearest(name, is_offered))
    }
}

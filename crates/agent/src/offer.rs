//! The tools of one turn: those of the agent that its caller may use. Only they are called. All of them are declared, or, of
//! many, those that the conversation names beside the tool that finds the others.

use std::collections::BTreeSet;

use callgate_call::wording;
use callgate_dialect::Dialect;
use callgate_executor::{Entry, Executor};
use callgate_tool::{Fault, Json, Outcome, Tool, ToolCall, Value};

use crate::{
    choice::Choice,
    finder::{Finder, ToolSearch},
};

/// The tools that a model may call in a turn.
#[derive(Debug)]
pub(crate) struct Offered {
    executor: Executor,
    dialect: Dialect,
    /// Their names, in the order of the executor.
    order: Vec<String>,
    names: BTreeSet<String>,
    /// The tool that finds the others, unless all are declared.
    finder: Option<Finder>,
    /// The tool that the model has to call first.
    forced: Option<String>,
}

impl Offered {
    pub(crate) fn new(
        executor: &Executor,
        dialect: Dialect,
        choice: &Choice,
        search: ToolSearch,
        is_offered: impl Fn(Entry<'_>) -> bool,
    ) -> Self {
        let entries = executor.entries().filter(|entry| is_offered(*entry));
        let order: Vec<_> = entries.map(|entry| entry.name().to_string()).collect();
        let forced = match choice {
            Choice::Tool(name) => Some(name.clone()),
            _ => None,
        };
        let names = order.iter().cloned().collect();
        let finder = search.finder(executor, order.len());
        Self { executor: executor.clone(), dialect, order, names, finder, forced }
    }

    /// The declarations for a conversation, in the model's dialect.
    pub(crate) fn declarations(&self, messages: &[Json]) -> Vec<Value> {
        let named = self.finder.as_ref().map(|_| {
            let mut named = Finder::named(&self.order, messages);
            named.extend(self.forced.as_deref());
            named
        });
        let is_declared =
            |name: &&String| named.as_ref().is_none_or(|named| named.contains(name.as_str()));
        let declared = self.order.iter().filter(is_declared);
        let declared = declared.filter_map(|name| self.executor.find(name)?.declaration());
        let finder = self.finder.as_ref().map(Finder::tool);
        finder.into_iter().chain(declared).map(|tool| self.dialect.declaration(tool)).collect()
    }

    /// The tool that a name of the model means.
    pub(crate) fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.executor.find(name).filter(|entry| self.names.contains(entry.name().as_str()))
    }

    pub(crate) fn declared(&self, name: &str) -> Option<&Tool> {
        let finder = self.finder.as_ref().filter(|finder| finder.is_meant(name));
        finder.map(Finder::tool).or_else(|| self.find(name).and_then(Entry::declaration))
    }

    /// The outcome of a call of the tool that finds the others; `None` for a call of another one.
    pub(crate) fn found(&self, call: &ToolCall) -> Option<Outcome> {
        self.finder.as_ref().filter(|finder| finder.is_meant(&call.tool))?;
        let is_offered = |entry: Entry<'_>| self.names.contains(entry.name().as_str());
        Some(Finder::outcome(&self.executor, &call.arguments, is_offered))
    }

    /// The fault of a call of a tool that is not offered.
    pub(crate) fn unknown(&self, name: &str) -> Box<Fault> {
        let is_offered = |entry: Entry<'_>| self.names.contains(entry.name().as_str());
        wording::unknown_tool(name, &self.executor.nearest(name, is_offered))
    }
}

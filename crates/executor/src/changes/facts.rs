//! The parts of a tool that are compared. Declarations are built for the comparison and not kept.

use std::{borrow::Cow, collections::BTreeMap};

use callgate_openapi::{Budget, Operation};
use callgate_tool::{Effect, Tool};

use super::{ChangeKind, inputs};
use crate::{catalog::Entry, executor::Executor};

#[derive(Debug)]
pub(super) struct Facts<'a> {
    toolset: &'a str,
    operation: Option<&'a Operation>,
    effect: Effect,
    /// `None` if the declaration exceeds its limits.
    tool: Option<Cow<'a, Tool>>,
}

impl<'a> Facts<'a> {
    pub(super) fn tool_facts(executor: &'a Executor) -> BTreeMap<&'a str, Self> {
        let mut budgets = BTreeMap::new();
        let facts =
            |entry: Entry<'a>| (entry.name().as_str(), Self::from_entry(entry, &mut budgets));
        executor.entries().map(facts).collect()
    }

    fn from_entry(entry: Entry<'a>, budgets: &mut BTreeMap<&'a str, Budget>) -> Self {
        let toolset = entry.toolset();
        let operation = entry.operation().map(|operation| &**operation);
        let tool = match operation {
            None => entry.declaration().map(Cow::Borrowed),
            Some(operation) => {
                let budget =
                    budgets.entry(toolset).or_insert_with(|| operation.new_declaration_budget());
                operation.uncached_declaration(budget).ok().map(Cow::Owned)
            }
        };
        Self { toolset, operation, effect: entry.effect(), tool }
    }

    /// The toolset, method and path of the tool's operation; `None` for tools of other kinds.
    pub(super) fn operation_place(&self) -> Option<(&'a str, &'a str, &'a str)> {
        let operation = self.operation?;
        Some((self.toolset, operation.method.as_str(), &*operation.path))
    }

    pub(super) fn changes_since(&self, old: &Self) -> Vec<ChangeKind> {
        let mut changes = Vec::new();
        if let (Some(from), Some(to)) = (old.operation, self.operation) {
            if from.label() != to.label() {
                let (from, to) = (from.label().to_owned(), to.label().to_owned());
                changes.push(ChangeKind::Moved { from, to });
            }
            if from.server.url != to.server.url {
                let (from, to) = (from.server.url.to_string(), to.server.url.to_string());
                changes.push(ChangeKind::Server { from, to });
            }
        }
        if self.effect != old.effect {
            changes.push(ChangeKind::Effect { from: old.effect, to: self.effect });
        }
        if let (Some(from), Some(to)) = (&old.tool, &self.tool) {
            if from.description != to.description {
                changes.push(ChangeKind::Described);
            }
            inputs::compare_inputs(&from.input_schema, &to.input_schema, &mut changes);
        }
        changes
    }
}

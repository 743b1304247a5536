//! Session inputs inside an argument, wherever a value can occur: below compositions, in items and maps, and in
//! circular references. Paths of steps ([`NestedInput`](crate::NestedInput)) say where values are created; these graphs
//! say which values the model must not choose. `call` applies a graph to a value.

mod branch;
mod graph;
mod listing;
mod pruning;

use std::sync::Arc;

use callgate_tool::{ArgumentName, Value};

use crate::input::ValueSource;

pub(crate) use graph::{Graph, UnboundInput};

/// The session inputs of one argument, as a graph over the schemas that may apply to it. The first node is the
/// argument's own value; nodes refer to each other by index.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bindings {
    /// The argument.
    pub argument: ArgumentName,
    /// The alternative of the body that the bindings belong to ([`BodyMedia::alternative`](crate::BodyMedia)); `None`
    /// if they apply to every media type.
    pub alternative: Option<usize>,
    /// The nodes, one for each schema that was read; never empty.
    pub nodes: Box<[SchemaNode]>,
}

/// One schema that may apply to a value, if it contains session inputs at any depth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SchemaNode {
    /// The source that is asked for the value before the model.
    pub source: ValueSource,
    /// True if the model may supply the value when the session has none.
    pub visible: bool,
    /// True if the value occurs only in responses, so that nothing is filled in.
    pub read_only: bool,
    /// The value that is used if the session has none and the model may not supply one.
    pub default: Option<Value>,
    /// The nodes that also apply to every such value.
    pub same: Box<[usize]>,
    /// The nodes that may apply to the value, grouped by composition or condition.
    pub alternatives: Box<[Box<[Alternative]>]>,
    /// The nodes of members, by name.
    pub properties: Box<[(Arc<str>, usize)]>,
    /// The nodes of members, by patterns of their names.
    pub patterns: Box<[(Arc<str>, usize)]>,
    /// The node of all other members.
    pub others: Option<usize>,
    /// The names that `others` does not apply to.
    pub declared: Box<[Arc<str>]>,
    /// The patterns whose names `others` does not apply to.
    pub declared_patterns: Box<[Arc<str>]>,
    /// The nodes of the first items, by position.
    pub leading: Box<[Option<usize>]>,
    /// The node of the remaining items.
    pub items: Option<usize>,
}

/// A branch, and the evidence that shows that a value does not belong to it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Alternative {
    /// The node of the branch, if it leads to a session input.
    pub node: Option<usize>,
    /// The members that the model must supply in this branch.
    pub required: Box<[Arc<str>]>,
    /// The members that have one of the listed values in this branch.
    pub fixed: Box<[Fixed]>,
    /// The members that the branch declares.
    pub member_names: Box<[Arc<str>]>,
}

/// The name of a member, and the only values it can have.
pub type Fixed = (Arc<str>, Box<[Value]>);

impl SchemaNode {
    pub(crate) fn child_nodes(&self) -> impl Iterator<Item = usize> {
        let named = self.properties.iter().chain(&self.patterns).map(|(_, at)| *at);
        let branches = self.alternatives.iter().flatten().filter_map(|branch| branch.node);
        let items = self.leading.iter().flatten().copied().chain(self.items);
        self.same.iter().copied().chain(branches).chain(named).chain(items).chain(self.others)
    }
}

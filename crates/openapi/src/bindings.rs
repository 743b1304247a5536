//! Session inputs inside an argument, wherever a value can stand: below compositions, in items and maps, through circles
//! of references. Rows of steps ([`NestedInput`](crate::NestedInput)) say where values are made; these graphs say what the
//! model may not choose. How a graph is laid over a value is the business of `call`.

mod branch;
mod graph;
mod heirs;
mod listed;
mod pruned;

use std::sync::Arc;

use callgate_tool::{ArgumentName, Value};

use crate::input::Source;

pub(crate) use graph::{Graph, Unbound};

/// The session inputs of one argument, as a graph over the schemas it may meet. The first spot is the argument's own
/// value; spots refer to each other by their positions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bindings {
    /// The argument.
    pub argument: ArgumentName,
    /// The alternative of the body that they belong to ([`BodyMedia::alternative`](crate::BodyMedia)); `None` where they
    /// hold whatever the media type is.
    pub alternative: Option<usize>,
    /// The spots, one for each schema that was read; never empty.
    pub spots: Box<[Spot]>,
}

/// One schema that a value may meet, as far as session inputs stand in it or below it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spot {
    /// The place where the value comes from before the model is asked.
    pub source: Source,
    /// True if the model may give the value where the session has none.
    pub visible: bool,
    /// True if the value is only answered, so that nothing is filled in for it.
    pub read_only: bool,
    /// The value that is used where the session has none and the model may not give one.
    pub default: Option<Value>,
    /// The spots that every such value meets too.
    pub same: Box<[usize]>,
    /// The spots that the value may meet, those of one composition or condition together.
    pub alternatives: Box<[Box<[Alternative]>]>,
    /// The spots of members by their names.
    pub properties: Box<[(Arc<str>, usize)]>,
    /// The spots of members by patterns of their names.
    pub patterns: Box<[(Arc<str>, usize)]>,
    /// The spot of all other members.
    pub others: Option<usize>,
    /// The names that are no other members.
    pub declared: Box<[Arc<str>]>,
    /// The patterns whose names are no other members.
    pub declared_patterns: Box<[Arc<str>]>,
    /// The spots of the first items, by their positions.
    pub leading: Box<[Option<usize>]>,
    /// The spot of the items after those.
    pub items: Option<usize>,
}

/// A branch, and what shows that it is not the one that is meant.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Alternative {
    /// The spot of the branch, where a session input can be reached from it.
    pub spot: Option<usize>,
    /// The members that the model has to give in this branch.
    pub required: Box<[Arc<str>]>,
    /// The members that have one of these values in this branch.
    pub fixed: Box<[Fixed]>,
    /// The members that the branch declares.
    pub known: Box<[Arc<str>]>,
}

/// The name of a member, and the only values it has.
pub type Fixed = (Arc<str>, Box<[Value]>);

impl Spot {
    /// The spots it leads to.
    pub(crate) fn below(&self) -> impl Iterator<Item = usize> {
        let named = self.properties.iter().chain(&self.patterns).map(|(_, at)| *at);
        let branches = self.alternatives.iter().flatten().filter_map(|branch| branch.spot);
        let items = self.leading.iter().flatten().copied().chain(self.items);
        self.same.iter().copied().chain(branches).chain(named).chain(items).chain(self.others)
    }
}

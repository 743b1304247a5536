//! The operations on the rows of a table or view that are tools.

use callgate_settings::{Words as _, words};
use callgate_tool::Effect;

/// An operation on rows.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Operation {
    /// Counts rows by groups, with sums, averages and bounds of columns.
    Aggregate,
    /// Adds one.
    Create,
    /// Removes one.
    Delete,
    /// Reads one by its key.
    Get,
    /// Reads some by conditions.
    List,
    /// Changes one.
    Update,
}

words! {
    Operation, "`list`, `get` and `aggregate` read; the others change rows, and are tools only by name":
    "aggregate" => Aggregate, "create" => Create, "delete" => Delete, "get" => Get, "list" => List, "update" => Update
}

impl Operation {
    /// The word in a configuration and in the names of tools.
    pub fn as_str(self) -> &'static str {
        self.word()
    }

    /// True if it changes something.
    pub fn is_write(self) -> bool {
        self.effect() != Effect::Read
    }

    /// The effect of a call.
    pub fn effect(self) -> Effect {
        match self {
            Self::Aggregate | Self::Get | Self::List => Effect::Read,
            Self::Create => Effect::Write,
            Self::Delete | Self::Update => Effect::Idempotent,
        }
    }
}

//! The effect of an action, after checking. The words are those of the Overlay Specification.

use callgate_tool::Value;

use crate::json_path::JsonPath;

/// The version of an overlay's features; patch versions make no difference (Overlay 1.0.0 §4.1).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Version {
    V1_0,
    V1_1,
}

/// One change, made to every node that its target selects.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) target: JsonPath,
    pub(super) change: Change,
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Merges the single node that this expression selects in the description.
    Copy(JsonPath),
    Remove,
    /// Does nothing: an action may consist of only a target.
    Stay,
    Update(Value),
}

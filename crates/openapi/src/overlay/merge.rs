//! Merges a value into a node: objects member by member, lists by appending, anything else by replacing. Values that
//! cannot be merged are reported; the amount of added data is limited.

use callgate_tool::{Object, Value};
use callgate_tree::{Limits, Path};

use crate::{code::Code, findings::Findings, overlay::change::Version};

/// The data that actions may still add. A copy of the whole description into itself doubles it each time.
#[derive(Debug)]
pub(super) struct Budget {
    nodes: usize,
    depth: usize,
}

/// A value to be merged: its place in the overlay, and the rules for merging it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update<'a> {
    pub(super) value: &'a Value,
    pub(super) path: Path<'a>,
    pub(super) version: Version,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ValueShape {
    Array,
    Object,
    Primitive,
}

#[derive(Debug)]
pub(super) struct OverLimit;

impl Budget {
    /// The part of these limits that a description leaves unused.
    pub(super) fn remaining_after(value: &Value, limits: &Limits) -> Self {
        let mut budget = Self { nodes: usize::MAX, depth: usize::MAX };
        budget.take_value(value, 0);
        let nodes = limits.nodes.saturating_sub(usize::MAX - budget.nodes);
        Self { nodes, depth: limits.depth }
    }

    /// Counts a value that is added `level` steps below the root; returns true if it is within the budget.
    fn take_value(&mut self, value: &Value, level: usize) -> bool {
        let Some(nodes) = self.nodes.checked_sub(1).filter(|_| level <= self.depth) else {
            return false;
        };
        self.nodes = nodes;
        match value {
            Value::Array(items) => items.iter().all(|item| self.take_value(item, level + 1)),
            Value::Object(members) => {
                members.values().all(|value| self.take_value(value, level + 1))
            }
            _ => true,
        }
    }
}

#[derive(Debug)]
pub(super) struct MergeState<'a> {
    pub(super) budget: &'a mut Budget,
    pub(super) findings: &'a mut Findings,
}

/// Merges into a node that a target selected, `level` steps below the root.
pub(super) fn merge_into_target(
    target: &mut Value,
    update: &Update<'_>,
    level: usize,
    bounds: &mut MergeState<'_>,
) -> Result<(), OverLimit> {
    match (target, update.value) {
        // Overlay 1.1.0 §4.4.3.1: an array is concatenated. In 1.0.0 the value is one entry, whatever its type.
        (Value::Array(items), Value::Array(more)) if update.version >= Version::V1_1 => {
            append_items(items, more, update, level, bounds)
        }
        (Value::Array(items), entry) => {
            let entry = std::slice::from_ref(entry);
            append_items(items, entry, update, level, bounds)
        }
        (Value::Object(members), Value::Object(more)) => {
            merge_members(members, more, update, level, bounds)
        }
        (target, value) => {
            let replaces = ValueShape::from_value(target) == ValueShape::Primitive
                && ValueShape::from_value(value) == ValueShape::Primitive
                && update.version >= Version::V1_1;
            if !replaces {
                bounds.findings.error(
                    Code::OverlayConflict,
                    update.path,
                    conflict_message(target, value, update),
                    conflict_help(target, update),
                );
                return Ok(());
            }
            *target = value.clone();
            Ok(())
        }
    }
}

fn append_items(
    items: &mut Vec<Value>,
    more: &[Value],
    update: &Update<'_>,
    level: usize,
    bounds: &mut MergeState<'_>,
) -> Result<(), OverLimit> {
    for item in more {
        bounds.take_value(item, update, level + 1)?;
        items.push(item.clone());
    }
    Ok(())
}

fn merge_members(
    members: &mut Object,
    more: &Object,
    update: &Update<'_>,
    level: usize,
    bounds: &mut MergeState<'_>,
) -> Result<(), OverLimit> {
    for (name, value) in more {
        let path = update.path.name(name);
        let below = Update { value, path, ..*update };
        match (members.get_mut(name), value) {
            // The node is missing, or is a YAML key without a value.
            (None | Some(Value::Null), _) => {
                bounds.take_value(value, &below, level + 1)?;
                members.insert(name.clone(), value.clone());
            }
            (Some(Value::Object(target_members)), Value::Object(more)) => {
                merge_members(target_members, more, &below, level + 1, bounds)?;
            }
            (Some(Value::Array(target_items)), Value::Array(more)) => {
                append_items(target_items, more, &below, level + 1, bounds)?;
            }
            // The structured example of Overlay 1.0.0 updates `components` and `tags` with nothing.
            (Some(Value::Object(_) | Value::Array(_)), Value::Null)
                if update.version == Version::V1_0 => {}
            (Some(target_value), _)
                if ValueShape::from_value(target_value) == ValueShape::Primitive
                    && ValueShape::from_value(value) == ValueShape::Primitive =>
            {
                *target_value = value.clone();
            }
            (Some(target_value), _) => {
                bounds.findings.error(
                    Code::OverlayConflict,
                    below.path,
                    conflict_message(target_value, value, &below),
                    COMPATIBLE,
                );
            }
        }
    }
    Ok(())
}

impl MergeState<'_> {
    fn take_value(
        &mut self,
        value: &Value,
        update: &Update<'_>,
        level: usize,
    ) -> Result<(), OverLimit> {
        if self.budget.take_value(value, level) {
            return Ok(());
        }
        let message = "expected a corrected description within the limits of depth and values, got a larger one";
        let help = "add less, or select fewer nodes";
        self.findings.error(Code::OverlayTooLarge, update.path, message.to_owned(), help);
        Err(OverLimit)
    }
}

fn conflict_message(target: &Value, value: &Value, update: &Update<'_>) -> String {
    let got = value.kind();
    match ValueShape::from_value(target) {
        ValueShape::Array => format!("expected a value to append to an array, got: {got}"),
        ValueShape::Object => format!("expected an object to merge with an object, got: {got}"),
        ValueShape::Primitive if update.version == Version::V1_0 => {
            format!("expected a target that is an object or an array, got: {}", target.kind())
        }
        ValueShape::Primitive => {
            format!("expected a primitive value to replace a {}, got: {got}", target.kind())
        }
    }
}

fn conflict_help(target: &Value, update: &Update<'_>) -> &'static str {
    match ValueShape::from_value(target) {
        // Overlay 1.0.0 §4.4.3.1: the target should select the containing object.
        ValueShape::Primitive if update.version == Version::V1_0 => {
            "select the object it is in and update its member, or say `overlay: 1.1.0`"
        }
        _ => COMPATIBLE,
    }
}

const COMPATIBLE: &str = "give a value of the same kind, or remove the node in an action before";

impl ValueShape {
    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
            _ => Self::Primitive,
        }
    }
}

//! Limits on strict tools that all declarations together exceed: a provider that accepts each one may still refuse the request.

use callgate::dialect::Dialect;
use callgate_dialect::{is_union, strict_limits};
use callgate_tool::Value;

use crate::{number::grouped, output};

#[derive(Debug, Default)]
pub(super) struct StrictCounts {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl StrictCounts {
    pub(super) fn take(&mut self, declaration: &Value) {
        self.tools += 1;
        self.optional += n_optional(declaration);
        self.unions += n_unions(declaration);
    }

    pub(super) fn tell(&self, dialect: Dialect) {
        let Self { tools: n_tools, optional: n_optional, unions: n_unions } = *self;
        for limit in strict_limits(dialect, n_tools, n_optional, n_unions) {
            let (n_tools, n_optional) = (grouped(n_tools), grouped(n_optional));
            let n_unions = grouped(n_unions);
            output::talk(&format!(
                "note: {} takes {}, got: {n_tools} tools with {n_optional} optional members and {n_unions} of several types\nhelp: {}\n",
                limit.provider, limit.expected, limit.instead
            ));
        }
    }
}

/// The number of schemas in a declaration, at any depth, that allow several types.
fn n_unions(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(n_unions).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(keyword, value)| usize::from(is_union(keyword, value)) + n_unions(value))
            .sum(),
        _ => 0,
    }
}

/// The number of optional members of a schema, at any depth.
fn n_optional(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(n_optional).sum(),
        Value::Object(members) => {
            let properties = members.get("properties").and_then(Value::as_object);
            let required = members.get("required").and_then(Value::as_array);
            let n_required = required.map_or(0, Vec::len);
            let here =
                properties.map_or(0, |properties| properties.len().saturating_sub(n_required));
            here + members.values().map(n_optional).sum::<usize>()
        }
        _ => 0,
    }
}

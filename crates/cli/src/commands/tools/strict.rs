//! Limits on strict tools that all declarations together exceed: a provider that takes each may refuse the request.

use callgate::dialect::Dialect;
use callgate_dialect::strict_limits;
use callgate_tool::Value;

use crate::{number::grouped, output};

/// What counts of strict declarations.
#[derive(Debug, Default)]
pub(super) struct StrictCounts {
    n_tools: usize,
    /// The members that need not be there.
    n_optional: usize,
}

impl StrictCounts {
    pub(super) fn take(&mut self, declaration: &Value) {
        self.n_tools += 1;
        self.n_optional += n_optional(declaration);
    }

    /// Says which limits are exceeded, and what to do.
    pub(super) fn tell(&self, dialect: Dialect) {
        let Self { n_tools, n_optional } = *self;
        for limit in strict_limits(dialect, n_tools, n_optional) {
            let (n_tools, n_optional) = (grouped(n_tools), grouped(n_optional));
            output::talk(&format!(
                "note: {} takes {}, got: {n_tools} tools with {n_optional} optional members\nhelp: {}\n",
                limit.provider, limit.expected, limit.instead
            ));
        }
    }
}

/// The members of a schema, at any depth, that need not be there.
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

//! Adds descriptions where a provider allows them.

use callgate_tool::{Object, Value, json};

use super::{projector::Projector, words::shortened_text};

impl Projector<'_> {
    /// The schema of a member whose name for the provider does not show its own name.
    pub(super) fn with_service_name_note(&mut self, built: Value, name: &str) -> Value {
        let named = format!("The service's name is `{}`", shortened_text(name, LONGEST_NAME));
        self.spend_bytes(named.len());
        self.with_description(built, named)
    }

    pub(super) fn with_description(&self, mut built: Value, description: String) -> Value {
        if description.is_empty() {
            return built;
        }
        if built.get("$ref").is_some() && !self.grammar.allows_all_keywords() {
            return json!({"description": description, "anyOf": [built]});
        }
        if built.get("anyOf").is_none() || self.grammar.has_siblings {
            return with_leading_description(built, description);
        }
        if let Some(first) = built.get_mut("anyOf").and_then(|branches| branches.get_mut(0)) {
            *first = with_leading_description(first.take(), description);
        }
        built
    }
}

/// A schema with a description in front of its own description.
pub(super) fn with_leading_description(schema: Value, description: String) -> Value {
    if description.is_empty() {
        return schema;
    }
    let Value::Object(mut rest) = schema else { return schema };
    let own = rest.remove("description");
    let own = own.as_ref().and_then(Value::as_str).filter(|own| *own != description);
    let whole = match own {
        Some(own) => format!("{description}: {own}"),
        None => description,
    };
    with_description_after_type(rest, whole)
}

/// Puts the type first, then the description, then the rest.
pub(super) fn with_description_after_type(mut built: Object, description: String) -> Value {
    if description.is_empty() {
        return Value::Object(built);
    }
    let mut whole = Object::with_capacity(built.len() + 1);
    whole.insert_if_some("type", built.remove("type"));
    whole.insert("description", Value::String(description));
    whole.append(&mut built);
    Value::Object(whole)
}

/// The most characters of a member's own name in its description.
const LONGEST_NAME: usize = 100;

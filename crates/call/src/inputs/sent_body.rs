//! The defaults that a body may have, by what else is given in it.

use callgate_openapi::InputLocation;
use callgate_tool::Value;

use super::{Fillings, Subject, has_body};
use crate::quoted_json::unquoted_json_value;

/// The defaults that a body may have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SentBody {
    /// All: something else was given in it, or it may be made of defaults.
    Any,
    /// Values without an alternative. A person or a model has to give something before defaults complete it.
    Fixed,
    /// None, because there is no body: a default inside a body does not create the body.
    None,
}

impl SentBody {
    pub(super) fn from_fillings(subject: Subject<'_>, fillings: &Fillings<'_>) -> Self {
        let inputs = subject.inputs.iter().zip(fillings);
        let mut given = inputs.filter_map(|(input, filling)| {
            let configured = input.default.as_ref().filter(|_| input.edit.has_value);
            let value = filling.as_ref().map(|filling| &*filling.value).or(configured)?;
            (input.place() == InputLocation::Body).then_some(value)
        });
        let may_be_of_defaults = subject.body.is_some_and(|body| body.may_be_of_defaults);
        match has_body(subject, fillings) {
            false => Self::None,
            true if may_be_of_defaults || given.any(is_more_than_empty_objects) => Self::Any,
            true => Self::Fixed,
        }
    }

    /// True if the default of an input is sent; `is_fixed` if no other value is legal.
    pub(super) fn sends_default(self, place: InputLocation, is_fixed: bool) -> bool {
        place != InputLocation::Body
            || match self {
                Self::Any => true,
                Self::Fixed => is_fixed,
                Self::None => false,
            }
    }
}

/// Returns true if a value is more than empty objects. The reader of arguments limits the nesting.
fn is_more_than_empty_objects(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(is_more_than_empty_objects),
        Value::Object(members) => members.values().any(is_more_than_empty_objects),
        // An object may be written as a text.
        Value::String(text) if text.trim_start().starts_with(['{', '"']) => {
            unquoted_json_value(text).is_none_or(|value| is_more_than_empty_objects(&value))
        }
        _ => true,
    }
}

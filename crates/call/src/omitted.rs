//! Says in the journal what leaves nothing in a request: the styles of parameters and of fields have no way to write a `null`
//! or an empty list or object. Members of bodies are the business of `body::omitted`; what is refused instead is not said.

use callgate_openapi::{Encoding, Input, Placement, Style};
use callgate_tool::{Event, Journal, Value};

use crate::{inputs::Fillings, style::is_void};

/// Notes what the parameters of a request leave out.
pub(crate) fn note_parameters(inputs: &[Input], fillings: &Fillings<'_>, journal: &mut Journal) {
    for (input, filling) in inputs.iter().zip(fillings) {
        let value = filling.as_ref().map(|filling| &*filling.value);
        let Some(value @ (Value::Array(_) | Value::Null | Value::Object(_))) = value else {
            continue;
        };
        let at = input.argument.as_str();
        match &input.placement {
            // An empty value has no place in a path and is refused.
            Placement::Path(_) if is_void(value) => {}
            Placement::Cookie(Encoding::Styled(styled))
            | Placement::Header(Encoding::Styled(styled))
            | Placement::Path(Encoding::Styled(styled))
            | Placement::Query(Encoding::Styled(styled)) => {
                note_styled(at, value, styled.style, journal);
            }
            Placement::Querystring { media_type } if **media_type == *FORM => {
                note_pairs(at, value, journal);
            }
            _ => {}
        }
    }
}

/// Notes what a style leaves out of a value that is given at `at`.
pub(crate) fn note_styled(at: &str, value: &Value, style: Style, journal: &mut Journal) {
    if note_void(at, value, journal) {
        return;
    }
    if style == Style::DeepObject {
        return note_brackets(at, value, journal);
    }
    // Structures inside of members are JSON, which has `null`.
    for (name, member) in value.as_object().into_iter().flatten() {
        if member.is_null() {
            journal.note(Event::NullOmitted { argument: format!("{at}.{name}") });
        }
    }
}

/// Notes a value that writes nothing as a whole, and answers whether it is one.
pub(crate) fn note_void(at: &str, value: &Value, journal: &mut Journal) -> bool {
    let argument = || at.to_owned();
    if value.is_null() {
        journal.note(Event::NullOmitted { argument: argument() });
    } else if is_void(value) {
        journal.note(Event::EmptyOmitted { argument: argument() });
    }
    is_void(value)
}

/// The same of the members of a value between brackets, at any depth; the depth of arguments is bounded where they are read.
fn note_brackets(at: &str, value: &Value, journal: &mut Journal) {
    let mut note = |at: &str, value: &Value| {
        if !note_void(at, value, journal) {
            note_brackets(at, value, journal);
        }
    };
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| note(&format!("{at}[{n}]"), item));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| note(&format!("{at}.{name}"), member));
        }
        _ => {}
    }
}

/// The same of a whole query string.
fn note_pairs(at: &str, value: &Value, journal: &mut Journal) {
    for (name, member) in value.as_object().into_iter().flatten() {
        note_void(&format!("{at}.{name}"), member, journal);
    }
}

const FORM: &str = "application/x-www-form-urlencoded";

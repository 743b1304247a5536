//! Records in the journal which values the request omits: styles of parameters and fields cannot write a `null` or an empty
//! list or object. `body::omitted` records members of bodies; refused values are not recorded.

use callgate_openapi::{Encoding, Input, Placement, Style};
use callgate_tool::{Event, Journal, Value};

use crate::{inputs::Fillings, style::is_void};

/// Records the values that the parameters of a request omit.
pub(crate) fn note_parameters(inputs: &[Input], fillings: &Fillings<'_>, journal: &mut Journal) {
    for (input, filling) in inputs.iter().zip(fillings) {
        let value = filling.as_ref().map(|filling| &*filling.value);
        let Some(value @ (Value::Array(_) | Value::Null | Value::Object(_))) = value else {
            continue;
        };
        let at = input.argument.as_str();
        match &input.placement {
            // A path cannot hold an empty value, so it is refused.
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

/// Records the values that a style omits from the value given at `at`.
pub(crate) fn note_styled(at: &str, value: &Value, style: Style, journal: &mut Journal) {
    if note_void(at, value, journal) {
        return;
    }
    if style == Style::DeepObject {
        return note_brackets(at, value, journal);
    }
    // Nested structures are written as JSON, which has `null`.
    for (name, member) in value.as_object().into_iter().flatten() {
        if member.is_null() {
            journal.note(Event::NullOmitted { argument: format!("{at}.{name}") });
        }
    }
}

/// Records a value that writes nothing, and returns whether it is one.
pub(crate) fn note_void(at: &str, value: &Value, journal: &mut Journal) -> bool {
    let argument = || at.to_owned();
    if value.is_null() {
        journal.note(Event::NullOmitted { argument: argument() });
    } else if is_void(value) {
        journal.note(Event::EmptyOmitted { argument: argument() });
    }
    is_void(value)
}

/// Records the omitted members of a value written with brackets, at any depth; the reader of arguments limits the depth.
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

/// Records the omitted members of a whole query string.
fn note_pairs(at: &str, value: &Value, journal: &mut Journal) {
    for (name, member) in value.as_object().into_iter().flatten() {
        note_void(&format!("{at}.{name}"), member, journal);
    }
}

const FORM: &str = "application/x-www-form-urlencoded";

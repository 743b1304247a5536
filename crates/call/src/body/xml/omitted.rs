//! Says in the journal what leaves nothing in an XML body: a `null` that would be an attribute or text, and a list without items
//! that nothing wraps. A `null` that is an element is written (`xsi:nil`).

use callgate_tool::{Event, Journal, Value};

use super::schema::{Described, Form};

/// Notes what a value that is given at `at` leaves out; `described` is what its schema says.
pub(super) fn note(at: &str, value: &Value, described: Described<'_>, journal: &mut Journal) {
    match (value, described.form()) {
        (Value::Null, Form::Attribute | Form::Cdata | Form::Text) => {
            journal.note(Event::NullOmitted { argument: at.to_owned() });
        }
        (Value::Array(items), form) if items.is_empty() && form != Form::Wrapped => {
            journal.note(Event::EmptyOmitted { argument: at.to_owned() });
        }
        (Value::Array(items), _) => items.iter().enumerate().for_each(|(index, item)| {
            note(&format!("{at}[{index}]"), item, described.items(), journal);
        }),
        (Value::Object(members), _) => members.iter().for_each(|(name, member)| {
            note(&format!("{at}.{name}"), member, described.member(name), journal);
        }),
        _ => {}
    }
}

//! Records in the journal which values an XML body omits: a `null` as an attribute or text, and an empty list without a
//! wrapper. A `null` element is written (`xsi:nil`).

use callgate_tool::{Event, Journal, Value};

use super::schema::{DescribedValue, XmlForm};

/// Records the omitted parts of the value given at `at`; `described` is its schema.
pub(super) fn note_omitted_parts(
    at: &str,
    value: &Value,
    described: DescribedValue<'_>,
    journal: &mut Journal,
) {
    match (value, described.xml_form()) {
        (Value::Null, XmlForm::Attribute | XmlForm::Bare | XmlForm::Cdata | XmlForm::Text) => {
            journal.note(Event::NullOmitted { argument: at.to_owned() });
        }
        (Value::String(text), XmlForm::Bare | XmlForm::Cdata | XmlForm::Text)
            if text.is_empty() =>
        {
            journal.note(Event::EmptyOmitted { argument: at.to_owned() });
        }
        (Value::Object(members), XmlForm::Bare) if members.is_empty() => {
            journal.note(Event::EmptyOmitted { argument: at.to_owned() });
        }
        (Value::Array(items), form) if items.is_empty() && form != XmlForm::Wrapped => {
            journal.note(Event::EmptyOmitted { argument: at.to_owned() });
        }
        (Value::Array(items), _) => items.iter().enumerate().for_each(|(index, item)| {
            // An item never is an attribute, so that a `null` is written.
            if item.is_null() && described.items().xml_form() == XmlForm::Attribute {
                return;
            }
            note_omitted_parts(&format!("{at}[{index}]"), item, described.items(), journal);
        }),
        (Value::Object(members), _) => members.iter().for_each(|(name, member)| {
            note_omitted_parts(&format!("{at}.{name}"), member, described.member(name), journal);
        }),
        _ => {}
    }
}

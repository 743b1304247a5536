//! Writes single values, lists and members as text, escaped for their location. It knows neither names of styles nor
//! schemas: `path`, `query`, `header` and `cookie` choose the joints; `check` has checked the values.
//!
//! This module decides cases that the specification leaves open; the table of them is part of the crate's documentation
//! (`open-cases.md`). Structures inside lists and members are compact JSON, `null` members are omitted (RFC 6570 §3.2.1),
//! and values that no decoding could distinguish are refused.

use callgate_openapi::Style;
use callgate_tool::{Object, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Escape {
    /// Escapes everything but unreserved characters, and the dot too: for items of an exploded `label` list.
    Dots,
    /// Keeps reserved characters (`allowReserved`), except those that would end the parameter or the query.
    Reserved,
    /// Keeps reserved characters, except those that would end the parameter or the query, and the comma, which is the
    /// delimiter.
    ReservedItems,
    /// Keeps the characters that may stand in a segment of a path (RFC 3986 §3.3), except `;`, at which some servers cut it.
    ReservedSegment,
    /// Escapes everything but unreserved characters (RFC 3986 §2.3).
    Unreserved,
    /// Escapes nothing: headers carry unescaped text (OpenAPI 3.2.0, appendix D).
    Verbatim,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Explode {
    No,
    Yes,
}

impl From<bool> for Explode {
    fn from(explode: bool) -> Self {
        if explode { Self::Yes } else { Self::No }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    pub(crate) text: &'static str,
    /// Characters that could not be distinguished from the text.
    pub(crate) clashes: &'static [char],
}

/// The reason why a value cannot be written so that a reader gets an equal value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unwritable {
    Control,
    Delimiter(char),
    /// A path segment would be `.` or `..`.
    DotSegment,
    /// The value begins or ends with a space, which receivers strip.
    Edge,
    Empty,
    /// A name in `multipart/form-data` holds one of the escapes that readers undo there.
    NameEscape,
    Null,
    /// The value is a list or an object, and its media type is not JSON.
    Structure,
    TooLong,
}

/// `,` where a comma inside an item can be escaped.
pub(crate) const COMMA: Joint = Joint { text: ",", clashes: &[] };
/// `,` where nothing can be escaped.
const BARE_COMMA: Joint = Joint { text: ",", clashes: &[','] };
const BARE_PIPE: Joint = Joint { text: "|", clashes: &['|'] };
const BARE_SPACE: Joint = Joint { text: " ", clashes: &[' '] };
const BARE_TAB: Joint = Joint { text: "\t", clashes: &['\t'] };
/// `,` between exploded members where nothing can be escaped.
pub(crate) const BARE_MEMBERS: Joint = Joint { text: ",", clashes: &[',', '='] };
/// `.` between the items of an exploded label.
pub(crate) const DOT: Joint = Joint { text: ".", clashes: &[] };
/// `spaceDelimited`.
const SPACE: Joint = Joint { text: "%20", clashes: &[' '] };
/// `pipeDelimited`.
const PIPE: Joint = Joint { text: "%7C", clashes: &['|'] };
/// Swagger 2.0 `tsv`.
const TAB: Joint = Joint { text: "%09", clashes: &['\t'] };

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const DOTS: &AsciiSet = &UNRESERVED.add(b'.');
// OpenAPI 3.0.4 §4.7.12.2: `#`, `[`, `]` are not legal in a query, and `&`, `+` have a special meaning there. Every URL
// parser escapes `'`; `%` is escaped so that a reader gets an equal value.
const RESERVED: &AsciiSet = &UNRESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=');
const RESERVED_ITEMS: &AsciiSet = &RESERVED.add(b',');
const RESERVED_SEGMENT: &AsciiSet =
    &RESERVED.add(b'/').add(b'?').add(b';').remove(b'&').remove(b'+').remove(b'\'');

pub(crate) fn joint(style: Style, escape: Escape) -> Joint {
    match (style, escape) {
        (Style::PipeDelimited, Escape::Verbatim) => BARE_PIPE,
        (Style::PipeDelimited, _) => PIPE,
        (Style::SpaceDelimited, Escape::Verbatim) => BARE_SPACE,
        (Style::SpaceDelimited, _) => SPACE,
        (Style::TabDelimited, Escape::Verbatim) => BARE_TAB,
        (Style::TabDelimited, _) => TAB,
        (_, Escape::Verbatim) => BARE_COMMA,
        _ => COMMA,
    }
}

pub(crate) fn write_escaped(out: &mut String, text: &str, escape: Escape) {
    let set = match escape {
        Escape::Dots => DOTS,
        Escape::Reserved => RESERVED,
        Escape::ReservedItems => RESERVED_ITEMS,
        Escape::ReservedSegment => RESERVED_SEGMENT,
        Escape::Unreserved => UNRESERVED,
        Escape::Verbatim => return out.push_str(text),
    };
    out.extend(utf8_percent_encode(text, set));
}

/// Writes one value: a single one as its text, an array or object as compact JSON.
pub(crate) fn write_value(
    out: &mut String,
    value: &Value,
    escape: Escape,
) -> Result<(), Unwritable> {
    write_item(out, value, Joint { text: "", clashes: &[] }, escape)
}

pub(crate) fn write_list(
    out: &mut String,
    items: &[Value],
    joint: Joint,
    escape: Escape,
) -> Result<(), Unwritable> {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(joint.text);
        }
        write_item(out, item, joint, escape)?;
    }
    Ok(())
}

/// Writes the members of an object as `name,value,name,value`.
pub(crate) fn write_members(
    out: &mut String,
    members: &Object,
    joint: Joint,
    escape: Escape,
) -> Result<(), Unwritable> {
    write_member_pairs(out, members, joint.text, joint, escape)
}

/// Writes the members of an object as `name=value`, with `joint` between them.
pub(crate) fn write_exploded_members(
    out: &mut String,
    members: &Object,
    joint: Joint,
    escape: Escape,
) -> Result<(), Unwritable> {
    write_member_pairs(out, members, "=", joint, escape)
}

/// Returns true if a value writes nothing: an array without items, an object without members that are not `null`.
pub(crate) fn is_empty_or_null(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(Value::is_null),
        Value::Null => true,
        _ => false,
    }
}

/// Returns true if a value has no text at any depth; the reader of arguments limits the depth.
pub(crate) fn is_deeply_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_deeply_empty),
        Value::Null => true,
        Value::Object(members) => members.values().all(is_deeply_empty),
        _ => false,
    }
}

/// The reason why a value that writes nothing is refused where text is required.
pub(crate) fn unwritable_reason(value: &Value) -> Unwritable {
    if value.is_null() { Unwritable::Null } else { Unwritable::Empty }
}

pub(crate) fn has_control_in_value(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_control_in_value),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| has_control_in_text(name) || has_control_in_value(member)),
        Value::String(text) => has_control_in_text(text),
        _ => false,
    }
}

fn has_control_in_text(text: &str) -> bool {
    text.chars().any(char::is_control)
}

fn write_member_pairs(
    out: &mut String,
    members: &Object,
    between: &str,
    joint: Joint,
    escape: Escape,
) -> Result<(), Unwritable> {
    let mut first = true;
    for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        if !first {
            out.push_str(joint.text);
        }
        first = false;
        write_delimiter_checked(out, name, joint, escape)?;
        out.push_str(between);
        write_item(out, value, joint, escape)?;
    }
    Ok(())
}

fn write_item(
    out: &mut String,
    value: &Value,
    joint: Joint,
    escape: Escape,
) -> Result<(), Unwritable> {
    match value {
        Value::Null => Err(Unwritable::Null),
        Value::Bool(true) => write_delimiter_checked(out, "true", joint, escape),
        Value::Bool(false) => write_delimiter_checked(out, "false", joint, escape),
        Value::Number(number) => write_delimiter_checked(out, &number.digits(), joint, escape),
        Value::String(text) => write_delimiter_checked(out, text, joint, escape),
        Value::Array(_) | Value::Object(_) => {
            write_delimiter_checked(out, &value.to_string(), joint, escape)
        }
    }
}

fn write_delimiter_checked(
    out: &mut String,
    text: &str,
    joint: Joint,
    escape: Escape,
) -> Result<(), Unwritable> {
    if !joint.clashes.is_empty() {
        if let Some(clash) = text.chars().find(|character| joint.clashes.contains(character)) {
            return Err(Unwritable::Delimiter(clash));
        }
        if escape == Escape::Verbatim && text.trim_matches([' ', '\t']).len() != text.len() {
            return Err(Unwritable::Edge);
        }
    }
    write_escaped(out, text, escape);
    Ok(())
}

//! The JSON of texts that a database wrote.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_tool::{DEPTH, Digits, JsonReader, Number, Value, write_string};

use super::moment::{self, MomentParts};
use crate::{
    catalog::ColumnKind,
    engine::{Ability, Engine},
};

/// The value of a text; the text itself if it does not read as the kind.
pub(super) fn value(kind: &ColumnKind, text: &str, engine: Engine) -> Value {
    let value = match kind {
        ColumnKind::Any => return value_from_tagged_text(text, engine),
        ColumnKind::Array(item) => array(item, text, engine),
        ColumnKind::Boolean => boolean(text),
        ColumnKind::Flag { .. } => match text {
            "0" => Some(false.into()),
            "1" => Some(true.into()),
            _ => whole_number(text),
        },
        ColumnKind::Integer { .. } => whole_number(text),
        ColumnKind::Bytes => base64_from_hex(text).map(Value::from),
        ColumnKind::Float | ColumnKind::Numeric { .. } => {
            number_with_fewest_digits(text, engine).map(Value::Number)
        }
        // Readers understand repeated names differently.
        ColumnKind::Json if is_within_json_depth(text) => {
            Value::parse_unambiguous(text).ok().flatten()
        }
        ColumnKind::Date => moment::rfc3339_text(text, MomentParts::Date, engine).map(Value::from),
        ColumnKind::Time { has_zone } => {
            moment::rfc3339_text(text, MomentParts::Time { has_zone: *has_zone }, engine)
                .map(Value::from)
        }
        ColumnKind::Timestamp { has_zone } => {
            moment::rfc3339_text(text, MomentParts::Timestamp { has_zone: *has_zone }, engine)
                .map(Value::from)
        }
        ColumnKind::Enumeration(_)
        | ColumnKind::Json
        | ColumnKind::Literal
        | ColumnKind::Other
        | ColumnKind::Text { .. }
        | ColumnKind::Uuid => None,
    };
    value.unwrap_or_else(|| text.into())
}

/// Writes the value of a text. Most are texts and numbers, which are written as they stand.
pub(super) fn write(kind: &ColumnKind, text: &str, engine: Engine, out: &mut String) {
    match kind {
        ColumnKind::Enumeration(_)
        | ColumnKind::Literal
        | ColumnKind::Other
        | ColumnKind::Text { .. }
        | ColumnKind::Uuid => write_string(text, out),
        ColumnKind::Integer { .. } if is_whole_number(text) => out.push_str(text),
        ColumnKind::Float | ColumnKind::Numeric { .. }
            if engine.has(Ability::ColumnTypes) && Digits::new(text).is_some() =>
        {
            out.push_str(text);
        }
        _ => value(kind, text, engine).write_to(out),
    }
}

/// The part of a text that the limit leaves; `None` if the text is not longer.
pub(super) fn cut_text<'t>(kind: &ColumnKind, text: &'t str, most_bytes: usize) -> Option<&'t str> {
    let most = match kind {
        ColumnKind::Any if text.starts_with('b') => most_bytes.saturating_mul(2).saturating_add(1),
        ColumnKind::Any => most_bytes.saturating_add(1),
        ColumnKind::Bytes => most_bytes.saturating_mul(2),
        _ => most_bytes,
    };
    if text.len() <= most {
        return None;
    }
    text.get(..text.floor_char_boundary(most))
}

/// True if a result that has this JSON in one of its rows can be read again.
fn is_within_json_depth(text: &str) -> bool {
    text.len() <= DEEPEST || JsonReader::new(text).with_depth(DEEPEST).check().is_ok()
}

/// The levels of JSON in a row: it stands in an object in a list in an object.
const DEEPEST: usize = DEPTH - 3;

/// A value that begins with the letter of its type.
fn value_from_tagged_text(text: &str, engine: Engine) -> Value {
    let Some((letter, text)) = text.split_at_checked(1) else { return text.into() };
    let value = match letter {
        "b" => base64_from_hex(text).map(Value::from),
        "i" | "r" => number_with_fewest_digits(text, engine).map(Value::Number),
        _ => None,
    };
    value.unwrap_or_else(|| text.into())
}

fn boolean(text: &str) -> Option<Value> {
    match text {
        "1" | "t" | "true" => Some(true.into()),
        "0" | "f" | "false" => Some(false.into()),
        _ => None,
    }
}

fn base64_from_hex(text: &str) -> Option<String> {
    let text = text.strip_prefix("\\x").unwrap_or(text);
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    Some(STANDARD.encode(bytes?))
}

/// A whole number; others, which SQLite keeps in such a column too, stay texts.
fn whole_number(text: &str) -> Option<Value> {
    Number::from_digits(text).filter(|_| is_whole_number(text)).map(Value::Number)
}

fn is_whole_number(text: &str) -> bool {
    match text.strip_prefix('-').unwrap_or(text).as_bytes() {
        [] | [b'0', _, ..] => false,
        digits => digits.iter().all(u8::is_ascii_digit),
    }
}

/// Columns without types have their floating-point numbers with 17 digits, which are more than most need.
fn number_with_fewest_digits(text: &str, engine: Engine) -> Option<Number> {
    let number = Number::from_digits(text)?;
    if !engine.has(Ability::ColumnTypes) && number.is_f64() {
        return Number::from_f64(number.as_f64()?);
    }
    Some(number)
}

/// PostgreSQL writes arrays as JSON, whose items are those of its JSON functions.
fn array(item: &ColumnKind, text: &str, engine: Engine) -> Option<Value> {
    let parsed = is_within_json_depth(text).then(|| Value::parse(text).ok()).flatten();
    let Value::Array(items) = parsed? else { return None };
    let items = items.into_iter().map(|value| read_item(item, value, engine));
    Some(Value::Array(items.collect()))
}

fn read_item(item: &ColumnKind, read: Value, engine: Engine) -> Value {
    match read {
        // Dimensions of PostgreSQL's arrays are no part of their type.
        Value::Array(items) if *item != ColumnKind::Json => {
            Value::Array(items.into_iter().map(|value| read_item(item, value, engine)).collect())
        }
        Value::String(text) if *item != ColumnKind::Json => value(item, &text, engine),
        other => other,
    }
}

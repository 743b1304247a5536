//! Values as compact JSON. Numbers are written as they were read.

use std::fmt::{self, Write};

use super::{Object, Value};

/// Compact JSON.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f)
    }
}

/// Compact JSON.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_members(self, f)
    }
}

impl Value {
    /// Appends the value as compact JSON to a text.
    pub fn write_to(&self, out: &mut String) {
        let written = write(self, out);
        debug_assert!(written.is_ok(), "a `String` takes whatever is written to it");
    }
}

fn write<W: Write>(value: &Value, out: &mut W) -> fmt::Result {
    match value {
        Value::Array(items) => {
            out.write_char('[')?;
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.write_char(',')?;
                }
                write(item, out)?;
            }
            out.write_char(']')
        }
        Value::Bool(true) => out.write_str("true"),
        Value::Bool(false) => out.write_str("false"),
        Value::Null => out.write_str("null"),
        Value::Number(number) => out.write_str(&number.digits()),
        Value::Object(members) => write_members(members, out),
        Value::String(text) => write_text(text, out),
    }
}

fn write_members<W: Write>(members: &Object, out: &mut W) -> fmt::Result {
    out.write_char('{')?;
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            out.write_char(',')?;
        }
        write_text(name, out)?;
        out.write_char(':')?;
        write(value, out)?;
    }
    out.write_char('}')
}

/// A text in quotes. Escaped is what must be (RFC 8259 §7).
fn write_text<W: Write>(text: &str, out: &mut W) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        let Some((plain, from)) = rest.split_at_checked(at) else { break };
        out.write_str(plain)?;
        let mut after = from.chars();
        match after.next() {
            Some('\u{8}') => out.write_str("\\b")?,
            Some('\t') => out.write_str("\\t")?,
            Some('\n') => out.write_str("\\n")?,
            Some('\u{c}') => out.write_str("\\f")?,
            Some('\r') => out.write_str("\\r")?,
            Some('"') => out.write_str("\\\"")?,
            Some('\\') => out.write_str("\\\\")?,
            Some(other) => write!(out, "\\u{:04x}", u32::from(other))?,
            None => {}
        }
        rest = after.as_str();
    }
    out.write_str(rest)?;
    out.write_char('"')
}

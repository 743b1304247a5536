//! Writes values as JSON, compact or indented. Numbers are written as they were read.

use std::fmt::{self, Write};

use super::{Object, Value};
use crate::reader::special_position;

/// Compact JSON; `{:#}` writes several lines, indented by two spaces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate().then_some(0);
        if let Self::Array(_) | Self::Object(_) = self {
            return write_in_chunks(f, |out| write(self, out, indent));
        }
        write(self, f, indent)
    }
}

/// Compact JSON; `{:#}` writes several lines, indented by two spaces.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate().then_some(0);
        write_in_chunks(f, |out| write_members(self, out, indent))
    }
}

impl Value {
    /// Appends the value as compact JSON to a text.
    pub fn write_to(&self, out: &mut String) {
        let written = write(self, out, None);
        debug_assert!(written.is_ok(), "a `String` takes whatever is written to it");
    }
}

/// Appends a text as JSON, in quotes, to another one.
#[doc(hidden)]
pub fn write_string(text: &str, out: &mut String) {
    let written = write_text(text, out);
    debug_assert!(written.is_ok(), "a `String` takes whatever is written to it");
}

/// Gathers what is written: a value has many short pieces, and each costs a formatter a call and its text room to grow.
struct Chunks<'f, 'o> {
    out: &'f mut fmt::Formatter<'o>,
    chunk: String,
}

fn write_in_chunks<'o>(
    out: &mut fmt::Formatter<'o>,
    write: impl FnOnce(&mut Chunks<'_, 'o>) -> fmt::Result,
) -> fmt::Result {
    let mut chunks = Chunks { out, chunk: String::with_capacity(CHUNK) };
    write(&mut chunks)?;
    chunks.out.write_str(&chunks.chunk)
}

impl Write for Chunks<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.chunk.len() + piece.len() > CHUNK {
            self.out.write_str(&self.chunk)?;
            self.chunk.clear();
            if piece.len() > CHUNK {
                return self.out.write_str(piece);
            }
        }
        self.chunk.push_str(piece);
        Ok(())
    }
}

const CHUNK: usize = 512;

/// The spaces before the inner lines; `None` writes everything on one line.
type Indent = Option<usize>;

fn write<W: Write>(value: &Value, out: &mut W, indent: Indent) -> fmt::Result {
    match value {
        Value::Array(items) => write_items(items, out, indent),
        Value::Bool(true) => out.write_str("true"),
        Value::Bool(false) => out.write_str("false"),
        Value::Null => out.write_str("null"),
        Value::Number(number) => out.write_str(&number.digits()),
        Value::Object(members) => write_members(members, out, indent),
        Value::String(text) => write_text(text, out),
    }
}

fn write_items<W: Write>(items: &[Value], out: &mut W, indent: Indent) -> fmt::Result {
    out.write_char('[')?;
    let inside = indent.map(|indent| indent + 2);
    for (at, item) in items.iter().enumerate() {
        write_separator(out, at, inside)?;
        write(item, out, inside)?;
    }
    if !items.is_empty() {
        break_line(out, indent)?;
    }
    out.write_char(']')
}

fn write_members<W: Write>(members: &Object, out: &mut W, indent: Indent) -> fmt::Result {
    out.write_char('{')?;
    let inside = indent.map(|indent| indent + 2);
    for (at, (name, value)) in members.iter().enumerate() {
        write_separator(out, at, inside)?;
        write_text(name, out)?;
        out.write_str(if inside.is_some() { ": " } else { ":" })?;
        write(value, out, inside)?;
    }
    if !members.is_empty() {
        break_line(out, indent)?;
    }
    out.write_char('}')
}

fn write_separator<W: Write>(out: &mut W, at: usize, indent: Indent) -> fmt::Result {
    if at > 0 {
        out.write_char(',')?;
    }
    break_line(out, indent)
}

fn break_line<W: Write>(out: &mut W, indent: Indent) -> fmt::Result {
    let Some(indent) = indent else { return Ok(()) };
    write!(out, "\n{:indent$}", "")
}

/// Writes a text in quotes and escapes only the characters that require it (RFC 8259 §7).
fn write_text<W: Write>(text: &str, out: &mut W) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some((plain, from)) = rest.split_at_checked(special_position(rest.as_bytes(), 0)) {
        if from.is_empty() {
            break;
        }
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

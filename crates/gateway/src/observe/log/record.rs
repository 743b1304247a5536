//! One record as a line.

use std::{
    fmt::{self, Write as _},
    time::SystemTime,
};

use callgate_config::LogFormat;
use callgate_tool::{Object, Value, escape_invisible_in_line, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tracing::{
    Level,
    field::{Field, Visit},
};

#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) at: SystemTime,
    pub(super) level: Level,
    pub(super) target: &'a str,
    pub(super) message: &'a str,
    /// The fields in the format's own form, without what is around them.
    pub(super) fields: &'a str,
    /// The spans around the record, the outermost first.
    pub(super) spans: &'a [(&'a str, Fields)],
}

/// The fields of an event, written as they come: nothing is kept in between.
#[derive(Debug)]
pub(super) struct EventFields {
    format: LogFormat,
    pub(super) message: String,
    pub(super) others: String,
}

/// Values of a span by their names; the last value of a name counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Record<'_> {
    pub(super) fn log_line(&self, format: LogFormat) -> String {
        match format {
            LogFormat::Json => self.json_line(),
            LogFormat::Text => self.text_line(),
        }
    }

    /// Writes `2026-11-22T11:00:00Z INFO callgate_gateway::live: reloaded cause=file call{tool=pets-getPet}`.
    fn text_line(&self) -> String {
        let mut line = String::with_capacity(USUAL_BYTES);
        line.push_str(&self.time_text());
        // Writing to a text cannot fail.
        write!(line, " {:<5} {}:", self.level.as_str(), self.target).ok();
        for part in [&escape_invisible_in_line(self.message), self.fields] {
            if !part.is_empty() {
                line.push(' ');
                line.push_str(part);
            }
        }
        for (name, fields) in self.spans {
            write!(line, " {name}{{{}}}", fields.pairs_text()).ok();
        }
        line
    }

    /// Writes `{"time", "level", "target", "message", "fields", "spans"}`.
    fn json_line(&self) -> String {
        let mut line = String::with_capacity(USUAL_BYTES);
        line.push_str("{\"time\":\"");
        line.push_str(&self.time_text());
        line.push_str("\",\"level\":\"");
        line.push_str(self.level.as_str());
        line.push_str("\",\"target\":");
        push_json_text(&mut line, self.target);
        line.push_str(",\"message\":");
        push_json_text(&mut line, self.message);
        line.push_str(",\"fields\":{");
        line.push_str(self.fields);
        line.push_str("},\"spans\":[");
        for (at, (name, fields)) in self.spans.iter().enumerate() {
            let mut members = fields.members();
            members.insert("name", (*name).into());
            line.push_str(if at == 0 { "" } else { "," });
            line.push_str(&escape_invisible_in_line(&Value::Object(members).to_string()));
        }
        line.push_str("]}");
        line
    }

    fn time_text(&self) -> String {
        OffsetDateTime::from(self.at).format(&Rfc3339).unwrap_or_default()
    }
}

impl EventFields {
    pub(super) fn new(format: LogFormat) -> Self {
        Self { format, message: String::new(), others: String::with_capacity(USUAL_BYTES) }
    }

    /// Begins a field: what separates it from the one before, and its name.
    fn push_field_name(&mut self, field: &Field) {
        let others = &mut self.others;
        match self.format {
            LogFormat::Json => {
                others.push_str(if others.is_empty() { "" } else { "," });
                push_json_text(others, field.name());
                others.push(':');
            }
            LogFormat::Text => {
                others.push_str(if others.is_empty() { "" } else { " " });
                others.push_str(field.name());
                others.push('=');
            }
        }
    }

    /// Writes a number or `true`.
    fn write_unquoted(&mut self, field: &Field, value: impl fmt::Display) {
        self.push_field_name(field);
        write!(self.others, "{value}").ok();
    }
}

impl Visit for EventFields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write_unquoted(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() != MESSAGE {
            self.record_str(field, &format!("{value:?}"));
            return;
        }
        self.message.clear();
        write!(self.message, "{value:?}").ok();
        self.message.truncate(shortened_to_limit(&self.message).len());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write_unquoted(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let value = shortened_to_limit(value);
        if field.name() == MESSAGE {
            value.clone_into(&mut self.message);
            return;
        }
        self.push_field_name(field);
        match self.format {
            LogFormat::Json => push_json_text(&mut self.others, value),
            LogFormat::Text => push_quoted_if_ambiguous(&mut self.others, value),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write_unquoted(field, value);
    }
}

impl Fields {
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(USUAL_FIELDS))
    }

    /// Writes `tool=pets-getPet status=200`.
    fn pairs_text(&self) -> String {
        let mut pairs = String::new();
        for (name, value) in &self.0 {
            pairs.push_str(if pairs.is_empty() { "" } else { " " });
            pairs.push_str(name);
            pairs.push('=');
            match value.as_str() {
                Some(text) => push_quoted_if_ambiguous(&mut pairs, text),
                None => pairs.push_str(&escape_invisible_in_line(&value.to_string())),
            }
        }
        pairs
    }

    fn members(&self) -> Object {
        self.0.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn set(&mut self, field: &Field, value: Value) {
        self.0.retain(|(name, _)| *name != field.name());
        self.0.push((field.name(), value));
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field, shortened_to_limit(&format!("{value:?}")).into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, shortened_to_limit(value).into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, json!(value));
    }
}

/// Writes a text, in quotation marks if it could pass for more than one.
fn push_quoted_if_ambiguous(line: &mut String, text: &str) {
    let separates = |byte| matches!(byte, b' ' | b'"' | b'=' | b'{' | b'}');
    if text.is_empty() || text.bytes().any(separates) {
        line.push('"');
        line.push_str(&escape_invisible_in_line(&text.replace('"', "\\\"")));
        line.push('"');
    } else {
        line.push_str(&escape_invisible_in_line(text));
    }
}

fn push_json_text(line: &mut String, text: &str) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        line.push('"');
        line.push_str(text);
        line.push('"');
    } else {
        line.push_str(&escape_invisible_in_line(&Value::from(text).to_string()));
    }
}

fn shortened_to_limit(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text)
}

const MESSAGE: &str = "message";
/// The bytes that most lines fit in.
const USUAL_BYTES: usize = 384;

/// The fields that most spans have.
const USUAL_FIELDS: usize = 8;
/// The most bytes of one value; nobody reads more.
const MOST_BYTES: usize = 4096;

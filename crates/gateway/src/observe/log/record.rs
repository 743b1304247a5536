//! One record as a line.

use std::{fmt, time::SystemTime};

use callgate_tool::{Object, Value, json, visible_line};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tracing::{
    Metadata,
    field::{Field, Visit},
};

#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) at: SystemTime,
    pub(super) metadata: &'a Metadata<'a>,
    pub(super) fields: Fields,
    /// The spans around the record, the outermost first.
    pub(super) spans: Vec<(&'a str, Fields)>,
}

/// Values by their names; the last value of a name counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Record<'_> {
    /// Writes `2026-11-22T11:00:00Z INFO callgate_gateway::live: reloaded cause=file call{tool=pets-getPet}`.
    pub(super) fn text(&self) -> String {
        let (level, target) = (self.metadata.level().as_str(), self.metadata.target());
        let mut line = format!("{} {level:<5} {target}:", self.time());
        if let Some(message) = self.fields.message() {
            line.push(' ');
            line.push_str(&visible_line(message));
        }
        for (name, value) in self.fields.others() {
            line.push(' ');
            pair(&mut line, name, value);
        }
        for (name, fields) in &self.spans {
            line.push_str(&format!(" {name}{{{}}}", fields.pairs()));
        }
        line
    }

    /// Writes `{"time", "level", "target", "message", "fields", "spans"}`.
    pub(super) fn json(&self) -> String {
        let (level, target) = (self.metadata.level().as_str(), self.metadata.target());
        let mut value = json!({"time": self.time(), "level": level, "target": target});
        let spans = self.spans.iter().map(|(name, fields)| {
            let mut members = fields.members();
            members.insert("name", (*name).into());
            Value::Object(members)
        });
        if let Some(members) = value.as_object_mut() {
            members.insert("message", self.fields.message().unwrap_or_default().into());
            members.insert("fields", Value::Object(self.fields.members()));
            members.insert("spans", Value::Array(spans.collect()));
        }
        visible_line(&value.to_string()).into_owned()
    }

    fn time(&self) -> String {
        OffsetDateTime::from(self.at).format(&Rfc3339).unwrap_or_default()
    }
}

impl Fields {
    fn message(&self) -> Option<&str> {
        let message = self.0.iter().find(|(name, _)| *name == MESSAGE);
        message.and_then(|(_, value)| value.as_str())
    }

    fn others(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.0.iter().filter(|(name, _)| *name != MESSAGE)
    }

    /// Writes `tool=pets-getPet status=200`.
    fn pairs(&self) -> String {
        let mut pairs = String::new();
        for (name, value) in self.others() {
            pairs.push_str(if pairs.is_empty() { "" } else { " " });
            pair(&mut pairs, name, value);
        }
        pairs
    }

    fn members(&self) -> Object {
        self.others().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
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
        self.set(field, cut(&format!("{value:?}")).into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, cut(value).into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, json!(value));
    }
}

fn pair(line: &mut String, name: &str, value: &Value) {
    line.push_str(name);
    line.push('=');
    match value.as_str() {
        Some(text) if text.is_empty() || text.contains([' ', '"', '=', '{', '}']) => {
            line.push('"');
            line.push_str(&visible_line(&text.replace('"', "\\\"")));
            line.push('"');
        }
        Some(text) => line.push_str(&visible_line(text)),
        None => line.push_str(&visible_line(&value.to_string())),
    }
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text)
}

const MESSAGE: &str = "message";

/// The most bytes of one value; nobody reads more.
const MOST_BYTES: usize = 4096;

//! One row of CSV or JSON lines as a document: a question with its answer, a text, or names with values.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

use callgate_tool::{Object, Value};

use super::Document;
use crate::metadata::Metadata;

/// The bytes of a row in its file, and its number, which counts from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct RowSpan {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) number: u32,
}

impl RowSpan {
    /// The row of a text; `None` if the text is too long for its numbers.
    pub(super) fn new(from: usize, to: usize, number: usize) -> Option<Self> {
        let number = u32::try_from(number).ok()?;
        Some(Self { from: u32::try_from(from).ok()?, to: u32::try_from(to).ok()?, number })
    }

    pub(super) fn row_text(self, text: &str) -> Option<&str> {
        text.get(self.from as usize..self.to as usize)
    }
}

/// The document of a row with these members. `outer` has members that stand beside them.
pub(super) fn row_document(span: RowSpan, members: &Object, outer: &Object) -> Document<'static> {
    let text = |names: &[&str]| {
        first_named_text(members, names).or_else(|| first_named_text(outer, names))
    };
    let question = text(&["question"]);
    let answer = text(&["answer"]).filter(|_| question.is_some());
    let body = text(&["text", "content", "body"]);
    let content_uri = outer.get("content").and_then(|content| content.get("uri"));
    let uri = text(&["uri", "url", "link"]).or_else(|| content_uri.and_then(Value::as_str));
    let shown = match (question, answer, body) {
        (Some(question), Some(answer), _) => format!("{question}\n\n{answer}"),
        (_, _, Some(body)) => body.to_owned(),
        _ => field_lines(members),
    };
    let shown_members = if answer.is_some() { ["question", "answer"] } else { ["text", "body"] };
    let is_filterable =
        |name: &str| !shown_members.iter().any(|shown| is_same_ignoring_case(name, shown));
    let kept = members.iter().filter(|(name, _)| is_filterable(name));
    let metadata: Object = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    Document {
        row: Some(span),
        title: text(&["title", "name"]).or(question).map(str::to_owned),
        uri: uri.map(str::to_owned),
        metadata: Metadata::from_value(&Value::Object(metadata)),
        text: Cow::Owned(shown),
        body: 0,
        answer: answer.map(str::to_owned),
    }
}

/// The text of the first member with one of these names, in any case.
fn first_named_text<'o>(members: &'o Object, names: &[&str]) -> Option<&'o str> {
    names.iter().find_map(|wanted| {
        let mut named_members =
            members.iter().filter(|(name, _)| is_same_ignoring_case(name, wanted));
        named_members.find_map(|(_, value)| value.as_str().filter(|text| !text.trim().is_empty()))
    })
}

fn is_same_ignoring_case(name: &str, wanted: &str) -> bool {
    name.trim().eq_ignore_ascii_case(wanted)
}

/// A line `name: value` for each field.
fn field_lines(members: &Object) -> String {
    let mut lines = String::new();
    let mut fields = BTreeMap::new();
    collect_fields(members, "", 8, &mut fields);
    // The order of the row, where names tell it: fields inside objects follow their first one.
    for name in members.keys() {
        let below = format!("{name}.");
        for (field, value) in &fields {
            if field == name || field.starts_with(&below) {
                // Writing to a string cannot fail.
                let _: std::fmt::Result = writeln!(lines, "{field}: {value}");
            }
        }
    }
    lines
}

fn collect_fields(members: &Object, at: &str, depth: usize, fields: &mut BTreeMap<String, String>) {
    for (name, value) in members {
        let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        match value {
            Value::Null => {}
            Value::Object(members) if depth > 0 => collect_fields(members, &at, depth - 1, fields),
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => drop(fields.insert(at, text.clone())),
            other => drop(fields.insert(at, other.to_string())),
        }
    }
}

//! Describes in words the keywords that a provider does not support. The words stand in parentheses at the end of a
//! description.

use std::fmt::{self, Write};

use callgate_tool::Value;

use super::{
    definitions::Definitions,
    kinds::Kinds,
    parts::{SchemaParts, schema_kinds},
};

#[derive(Debug, Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// Adds the words for an omitted keyword; returns `false` if there are none.
    pub(super) fn add_keyword_phrase<'s>(
        &mut self,
        keyword: &str,
        value: &'s Value,
        definitions: &Definitions<'s>,
    ) -> bool {
        let words = keyword_phrase(keyword, value, definitions);
        let is_said = words.is_some();
        if let Some(words) = words {
            self.add(words);
        }
        is_said
    }

    pub(super) fn add(&mut self, words: String) {
        if !self.0.contains(&words) {
            self.0.push(words);
        }
    }

    /// The description followed by the words, in at most `longest` characters; empty if there are neither.
    pub(super) fn description_with_words(&self, description: &str, longest: usize) -> String {
        let description = shortened_text(description.trim(), longest);
        let words = self.0.join("; ");
        let words = shortened_text(&words, MOST_WORDS.min(longest));
        match (description.is_empty(), words.is_empty()) {
            (_, true) => description,
            (true, false) => words,
            (false, false) => format!("{description} ({words})"),
        }
    }
}

/// The first characters of a text, with `…` if more follow.
pub(super) fn shortened_text(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some(_) if longest == 0 => String::new(),
        Some(_) => text.chars().take(longest - 1).chain(['…']).collect(),
    }
}

/// A list of names: `a, b, c, …`.
pub(super) fn name_list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut row = String::new();
    for name in names {
        if row.len() > MOST_NAMES {
            row.push_str(", …");
            break;
        }
        row.push_str(if row.is_empty() { "" } else { ", " });
        row.push_str(name);
    }
    row
}

fn keyword_phrase<'s>(
    keyword: &str,
    value: &'s Value,
    definitions: &Definitions<'s>,
) -> Option<String> {
    let schema = || short_schema(value, definitions);
    let text = || {
        value.as_str().map_or_else(|| short_json(value), |text| shortened_text(text, MOST_VALUE))
    };
    Some(match keyword {
        "additionalProperties" if value.is_object() => format!("other members: {}", schema()),
        "additionalProperties" | "uniqueItems" if value.as_bool() == Some(false) => return None,
        "additionalProperties" => "other members are allowed".to_owned(),
        "const" => format!("always {}", short_json(value)),
        "contains" => format!("contains an item that is {}", schema()),
        "contentEncoding" => format!("encoded as {}", text()),
        "contentMediaType" => format!("media type {}", text()),
        "default" => format!("default: {}", short_json(value)),
        "dependentRequired" => format!("members need others: {}", short_json(value)),
        "deprecated" if value.as_bool() == Some(true) => "deprecated".to_owned(),
        "deprecated" => return None,
        "enum" => format!("one of: {}", value_list(value)),
        "examples" => format!("for example {}", short_json(value.get(0)?)),
        "exclusiveMaximum" => format!("less than {}", short_json(value)),
        "exclusiveMinimum" => format!("more than {}", short_json(value)),
        "format" => format!("format: {}", text()),
        "maxItems" => format!("at most {} items", short_json(value)),
        "maxLength" => format!("at most {} characters", short_json(value)),
        "maxProperties" => format!("at most {} members", short_json(value)),
        "maximum" => format!("at most {}", short_json(value)),
        "minItems" => format!("at least {} items", short_json(value)),
        "minLength" => format!("at least {} characters", short_json(value)),
        "minProperties" => format!("at least {} members", short_json(value)),
        "minimum" => format!("at least {}", short_json(value)),
        "multipleOf" => format!("a multiple of {}", short_json(value)),
        "not" => format!("not {}", schema()),
        "pattern" => format!("pattern: {}", text()),
        "patternProperties" => format!("members by pattern: {}", schema()),
        "prefixItems" => format!("items in this order: {}", schema()),
        "propertyNames" => format!("names of members: {}", schema()),
        "uniqueItems" => "no item twice".to_owned(),
        keyword => format!("{keyword}: {}", schema()),
    })
}

/// The first characters of a value as JSON. Only the shown part of a large value is written.
pub(super) fn short_json(value: &Value) -> String {
    let mut start = Start(String::new());
    let is_whole = write!(start, "{value}").is_ok();
    shortened_text(&start.0, if is_whole { usize::MAX } else { MOST_VALUE })
}

/// The first characters of a schema as JSON, with words in the place of references.
fn short_schema<'s>(value: &'s Value, definitions: &Definitions<'s>) -> String {
    let mut start = Start(String::new());
    let is_whole = write_schema_json(value, definitions, &mut start).is_ok();
    shortened_text(&start.0, if is_whole { usize::MAX } else { MOST_VALUE })
}

fn write_schema_json<'s>(
    value: &'s Value,
    definitions: &Definitions<'s>,
    out: &mut Start,
) -> fmt::Result {
    let reference = value.get("$ref").and_then(Value::as_str);
    if let Some(target) = reference.and_then(|reference| definitions.referenced_schema(reference)) {
        return out.write_str(&schema_outline(target, definitions));
    }
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                out.write_str(if at == 0 { "[" } else { "," })?;
                write_schema_json(item, definitions, out)?;
            }
            out.write_str(if items.is_empty() { "[]" } else { "]" })
        }
        Value::Object(members) => {
            for (at, (name, member)) in members.iter().enumerate() {
                let before = if at == 0 { "{" } else { "," };
                write!(out, "{before}{}:", Value::from(name.as_str()))?;
                write_schema_json(member, definitions, out)?;
            }
            out.write_str(if members.is_empty() { "{}" } else { "}" })
        }
        other => write!(out, "{other}"),
    }
}

/// The types of a schema, and the names of its members.
fn schema_outline<'s>(schema: &'s Value, definitions: &Definitions<'s>) -> String {
    let kinds = schema_kinds(schema, definitions, ALTERNATIVES);
    let mut row = String::new();
    for kind in kinds.single_kinds().filter(|_| kinds != Kinds::ALL) {
        row.push_str(if row.is_empty() { "" } else { " or " });
        row.push_str(kind.name());
    }
    let members = SchemaParts::from_schemas(&[schema], definitions).members();
    if !members.is_empty() {
        let names = name_list(members.iter().map(|(name, _)| *name));
        return format!("{} with {names}", if row.is_empty() { "value" } else { &row });
    }
    if row.is_empty() { "any value".to_owned() } else { row }
}

/// The beginning of a text, which refuses to grow further.
struct Start(String);

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = (MOST_VALUE + 1).saturating_sub(self.0.chars().count());
        self.0.extend(text.chars().take(left));
        if text.chars().nth(left).is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

fn value_list(value: &Value) -> String {
    let mut row = String::new();
    for value in value.as_array().into_iter().flatten() {
        if row.len() > MOST_LISTED {
            row.push_str(", …");
            break;
        }
        row.push_str(if row.is_empty() { "" } else { ", " });
        row.push_str(&short_json(value));
    }
    row
}

/// The most levels of nested alternatives that are searched for types.
const ALTERNATIVES: usize = 3;
/// The most characters of one value, of a list of values, of a list of names, and of all words of a schema.
const MOST_VALUE: usize = 120;
const MOST_LISTED: usize = 300;
const MOST_NAMES: usize = 160;
const MOST_WORDS: usize = 600;

//! Describes in words the keywords that a provider does not support. The words stand in parentheses at the end of a
//! description.

use std::fmt::{self, Write};

use callgate_tool::Value;

/// The words to add to a description.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// Adds the words for an omitted keyword; returns `false` if there are none.
    pub(super) fn say(&mut self, keyword: &str, value: &Value) -> bool {
        let words = said(keyword, value);
        let is_said = words.is_some();
        if let Some(words) = words {
            self.add(words);
        }
        is_said
    }

    /// Adds words, once.
    pub(super) fn add(&mut self, words: String) {
        if !self.0.contains(&words) {
            self.0.push(words);
        }
    }

    /// The description followed by the words, in at most `longest` characters; empty if there are neither.
    pub(super) fn behind(&self, description: &str, longest: usize) -> String {
        let description = shortened(description.trim(), longest);
        let words = self.0.join("; ");
        let words = shortened(&words, MOST_WORDS.min(longest));
        match (description.is_empty(), words.is_empty()) {
            (_, true) => description,
            (true, false) => words,
            (false, false) => format!("{description} ({words})"),
        }
    }
}

/// The first characters of a text, with `…` if more follow.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some(_) if longest == 0 => String::new(),
        Some(_) => text.chars().take(longest - 1).chain(['…']).collect(),
    }
}

/// A list of names: `a, b, c, …`.
pub(super) fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
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

fn said(keyword: &str, value: &Value) -> Option<String> {
    let text = || value.as_str().map_or_else(|| short(value), |text| shortened(text, MOST_VALUE));
    Some(match keyword {
        "additionalProperties" if value.is_object() => format!("other members: {}", short(value)),
        "additionalProperties" | "uniqueItems" if value.as_bool() == Some(false) => return None,
        "additionalProperties" => "other members are allowed".to_owned(),
        "const" => format!("always {}", short(value)),
        "contains" => format!("contains an item that is {}", short(value)),
        "contentEncoding" => format!("encoded as {}", text()),
        "contentMediaType" => format!("media type {}", text()),
        "default" => format!("default: {}", short(value)),
        "dependentRequired" => format!("members need others: {}", short(value)),
        "deprecated" if value.as_bool() == Some(true) => "deprecated".to_owned(),
        "deprecated" => return None,
        "enum" => format!("one of: {}", list(value)),
        "examples" => format!("for example {}", short(value.get(0)?)),
        "exclusiveMaximum" => format!("less than {}", short(value)),
        "exclusiveMinimum" => format!("more than {}", short(value)),
        "format" => format!("format: {}", text()),
        "maxItems" => format!("at most {} items", short(value)),
        "maxLength" => format!("at most {} characters", short(value)),
        "maxProperties" => format!("at most {} members", short(value)),
        "maximum" => format!("at most {}", short(value)),
        "minItems" => format!("at least {} items", short(value)),
        "minLength" => format!("at least {} characters", short(value)),
        "minProperties" => format!("at least {} members", short(value)),
        "minimum" => format!("at least {}", short(value)),
        "multipleOf" => format!("a multiple of {}", short(value)),
        "not" => format!("not {}", short(value)),
        "pattern" => format!("pattern: {}", text()),
        "patternProperties" => format!("members by pattern: {}", short(value)),
        "prefixItems" => format!("items in this order: {}", short(value)),
        "propertyNames" => format!("names of members: {}", short(value)),
        "uniqueItems" => "no item twice".to_owned(),
        keyword => format!("{keyword}: {}", short(value)),
    })
}

/// The first characters of a value as JSON. Only the shown part of a large value is written.
pub(super) fn short(value: &Value) -> String {
    let mut start = Start(String::new());
    let is_whole = write!(start, "{value}").is_ok();
    shortened(&start.0, if is_whole { usize::MAX } else { MOST_VALUE })
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

fn list(value: &Value) -> String {
    let mut row = String::new();
    for value in value.as_array().into_iter().flatten() {
        if row.len() > MOST_LISTED {
            row.push_str(", …");
            break;
        }
        row.push_str(if row.is_empty() { "" } else { ", " });
        row.push_str(&short(value));
    }
    row
}

/// The most characters of one value, of a list of values, of a list of names, and of all words of a schema.
const MOST_VALUE: usize = 120;
const MOST_LISTED: usize = 300;
const MOST_NAMES: usize = 160;
const MOST_WORDS: usize = 600;

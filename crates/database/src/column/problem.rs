//! The problem of a value that a column cannot hold.

use callgate_tool::{Problem, Value, escape_invisible_in_line};

/// The problem of a value, without its location.
pub(crate) fn new(expected: impl Into<String>, value: &Value) -> Problem {
    Problem {
        at: String::new(),
        expected: expected.into(),
        got: value_excerpt(value),
        suggestion: None,
    }
}

/// The value, or how it begins.
fn value_excerpt(value: &Value) -> String {
    let text = match value {
        Value::Array(_) => return "a list".to_owned(),
        Value::Object(_) => return "an object".to_owned(),
        Value::String(text) => format!("`{}`", text_excerpt(text)),
        other => text_excerpt(&other.to_string()),
    };
    escape_invisible_in_line(&text).into_owned()
}

fn text_excerpt(text: &str) -> String {
    let start: String = text.chars().take(MOST_SHOWN).collect();
    if start.len() < text.len() { start + "…" } else { start }
}

/// The most characters of a value in a problem.
const MOST_SHOWN: usize = 60;

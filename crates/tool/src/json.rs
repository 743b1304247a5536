//! JSON as a service wrote it: checked in one pass when it is taken over, read into a [`Value`] when somebody asks.
//! Most answers are only handed on. It says nothing about what the value means; the text comes from `call`.

use std::{fmt, sync::OnceLock};

use serde::de::IgnoredAny;
use serde_json::Value;

/// A JSON text that is known to be one.
#[derive(Clone)]
pub struct Json {
    text: Box<str>,
    value: OnceLock<Value>,
}

impl Json {
    /// The JSON in `text`, or `None` where there is none, or one that [`serde_json`] would not read: nested more than
    /// 127 deep, or with half a surrogate pair.
    ///
    /// ```
    /// use callgate_tool::Json;
    ///
    /// let json = Json::parse(r#"{"price": 1.10}"#).ok_or("no JSON")?;
    /// assert_eq!(json.text(), r#"{"price": 1.10}"#);
    /// assert_eq!(json.value()["price"].to_string(), "1.10");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let value = if is_read_as_checked(text.as_bytes()) {
            serde_json::from_str::<IgnoredAny>(text).ok()?;
            OnceLock::new()
        } else {
            OnceLock::from(serde_json::from_str::<Value>(text).ok()?)
        };
        Some(Self { text: text.into(), value })
    }

    /// The text, as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value; numbers keep their digits.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| read(&self.text))
    }

    /// The value, for whoever keeps it.
    pub fn into_value(self) -> Value {
        self.value.into_inner().unwrap_or_else(|| read(&self.text))
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Json").field(&self.text).finish()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self { text: value.to_string().into(), value: OnceLock::from(value) }
    }
}

/// Two are equal when their values are; white space does not count.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.value() == other.value()
    }
}

/// A text that passed the check is always read; were one not, it would still be handed on as text.
fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Whether a text that is JSON by its grammar is certain to be read as well. Reading refuses more than the grammar:
/// depth, half surrogate pairs, and names the reader keeps for itself. When in doubt the answer is no.
fn is_read_as_checked(text: &[u8]) -> bool {
    let n_opened = text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    (n_opened < DEPTH || depth(text) < DEPTH)
        && !holds(text, b'\\', b"\\u")
        && !holds(text, b'$', b"$serde_json::")
}

/// Whether `text` holds `wanted`, which begins with `first`; most texts do not even hold that.
fn holds(text: &[u8], first: u8, wanted: &[u8]) -> bool {
    text.contains(&first) && text.windows(wanted.len()).any(|window| window == wanted)
}

/// How deep a text that is JSON is nested.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = text.iter();
    let mut in_string = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth = depth.saturating_add(1),
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The depth at which the reader gives up.
const DEPTH: usize = 128;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let read = serde_json::from_str::<Value>(text).ok();
        let taken = Json::parse(text);
        assert_eq!(taken.as_ref().map(Json::value), read.as_ref(), "{text}");
        assert_eq!(taken.map(Json::into_value), read, "{text}");
    }

    #[test]
    fn what_is_taken_over_is_what_is_read() {
        for text in [
            "",
            " ",
            "null",
            "nul",
            " [1, 2] ",
            "[1,]",
            "{\"a\":1,\"a\":2}",
            "{\"a\" 1}",
            "1e999999",
            "01",
            "-",
            "1.",
            "[9007199254740993,1.10,1e+400]",
            r#""\n""#,
            r#""\x""#,
            r#""\ud83d\ude00""#,
            r#""\ud83d""#,
            r#""\\ud83d""#,
            "\"\u{1}\"",
            "\"a",
            r#"{"$serde_json::private::Number":"x"}"#,
            r#"{"\u0024serde_json::private::Number":"x"}"#,
            r#"{"$serde_json::private::RawValue":"[1"}"#,
            r#"{"$serde_json::private::RawValue":"[1]"}"#,
            r#"{"$ref":"a"}"#,
            "1 2",
        ] {
            check(text);
        }
    }

    #[test]
    fn depth_ends_where_the_reader_gives_up() {
        for depth in [126, 127, 128, 129, 10_000] {
            check(&("[".repeat(depth) + &"]".repeat(depth)));
            check(&("{\"a\":".repeat(depth) + "1" + &"}".repeat(depth)));
            check(&("[".repeat(depth) + "\"[\"" + &"]".repeat(depth)));
        }
        check(&format!("[{}[]]", "[],{},".repeat(200)));
        check(&format!("[\"{}\"]", "[\\\"[".repeat(200)));
    }

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(Json::parse("[ 1 ]"), Json::parse("[1]"));
        assert_ne!(Json::parse("[1]"), Json::parse("[1.0]"));
        assert_eq!(Json::from(serde_json::json!({"a": 1})).text(), r#"{"a":1}"#);
    }

    proptest! {
        #[test]
        fn any_text_is_taken_over_as_it_is_read(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\\", "\\u", "d83d",
                    "\\\"", "$serde_json::private::Number", "1", "-", "0", ".", "e", "true", "null",
                    " ", "\u{e9}", "\u{7f}", "\n",
                ]),
                0..12,
            )
        ) {
            check(&pieces.concat());
        }
    }
}

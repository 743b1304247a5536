//! The words of a command line that gives arguments to a tool: members with dots, lists as repeated names, deeper values as JSON. A
//! text that a terminal would not show as it stands is written as JSON with escapes.

use std::fmt::Write as _;

use callgate::secret::SecretReference;
use callgate_tool::{Object, Value, is_unseen};

use crate::{args::DescriptionArguments, guide::Guide};

/// The words that give each argument by its name; `None` if one cannot be given so.
pub(super) fn by_name(values: &Object, guide: Guide<'_>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for (name, value) in values {
        push(&mut words, name, value, guide.member(name));
    }
    let is_plain = |word: &String| !word.starts_with('-') && !word.contains(is_unseen);
    let is_named = values.keys().all(|name| !name.contains('='));
    (is_named && words.iter().all(is_plain)).then_some(words)
}

fn push(words: &mut Vec<String>, name: &str, value: &Value, guide: Option<Guide<'_>>) {
    let is_plain = |value: &Value| value.as_array().is_none() && value.as_object().is_none();
    match value {
        Value::Array(items) if items.len() > 1 && items.iter().all(is_plain) => {
            for item in items {
                push(words, name, item, None);
            }
        }
        // One item is a list only if nothing else may stand there.
        Value::Array(items) if is_list(guide) && items.len() == 1 && items.iter().all(is_plain) => {
            for item in items {
                push(words, name, item, None);
            }
        }
        Value::Object(members) if !members.is_empty() && !name.contains('.') => {
            for (below, member) in members {
                let guide = guide.and_then(|guide| guide.below(below));
                push(words, &format!("{name}.{below}"), member, guide);
            }
        }
        Value::String(text) => {
            let literal = if text.starts_with('@') { "@" } else { "" };
            words.push(format!("{name}={literal}{text}"));
        }
        value => words.push(format!("{name}={}", json(value))),
    }
}

fn is_list(guide: Option<Guide<'_>>) -> bool {
    guide.is_none_or(|guide| guide.types() == ["array"])
}

/// True for the bytes of a file, and for a list of them.
pub(super) fn is_file(guide: Guide<'_>) -> bool {
    let kinds = guide.kinds();
    let is_list = kinds.array && !kinds.bytes && !kinds.object;
    let of = guide.each().filter(|_| is_list).unwrap_or(guide);
    of.kinds().bytes
}

/// The flags with which the tools were shown, and the server if the description lacks one.
pub(super) fn flags(given: &DescriptionArguments, server: Option<&str>) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |flag: &str, values: &mut dyn Iterator<Item = String>| {
        for value in values {
            words.extend([flag.to_owned(), value]);
        }
    };
    let server = server.map(str::to_owned).or_else(|| given.server.clone());
    add("--server", &mut server.into_iter());
    add("--overlay", &mut given.overlay.iter().map(|file| file.display().to_string()));
    for (flag, value) in
        [("--bearer", &given.bearer), ("--api-key", &given.api_key), ("--basic", &given.basic)]
    {
        add(flag, &mut value.iter().cloned());
    }
    add("--ca", &mut given.connection.ca.iter().cloned());
    add("--egress-allow", &mut given.connection.egress_allow.iter().cloned());
    // A header that is no reference may hold a secret.
    let is_reference = |header: &&String| {
        let value =
            header.split_once(':').map(|(_, value)| value.trim().parse::<SecretReference>());
        value.is_some_and(|reference| reference.is_ok())
    };
    add("-H", &mut given.requests.headers.iter().filter(is_reference).cloned());
    add("--timeout", &mut given.requests.timeout.iter().cloned());
    add("--limits", &mut given.requests.limits.iter().cloned());
    words
}

/// A word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@%+=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// JSON in one line, with escapes for what a terminal would not show.
pub(super) fn json(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        if is_unseen(c) || c == '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(values: &Value, schema: &Value, expected: Option<&str>) {
        let words = by_name(values.as_object().unwrap(), Guide::new(schema));
        let words =
            words.map(|words| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
        assert_eq!(words.as_deref(), expected, "{values}");
    }

    #[test]
    fn arguments_of_an_example_are_quoted_for_the_shell() {
        let schema = json!({"properties": {"one": {"type": ["array", "string"]}, "list": {"type": "array"}}});
        check(
            &json!({"a": 1, "b": "it's", "tags": ["x", "y"], "owner": {"email": "k@e.c", "home": {"c": 1}}, "at": "@x",
                "list": ["x"], "one": ["x"], "none": [], "empty": ""}),
            &schema,
            Some(
                "a=1 'b=it'\\''s' tags=x tags=y owner.email=k@e.c 'owner.home={\"c\":1}' at=@@x list=x 'one=[\"x\"]' 'none=[]' empty=",
            ),
        );
        check(&json!({"-a": 1}), &schema, None);
        check(&json!({"a=b": 1}), &schema, None);
        check(&json!({"a": "\u{202e}x"}), &schema, None);
        let shown = json(&json!({"a": "\u{202e}'\u{e0041}"}));
        assert_eq!(shown, "{\"a\":\"\\u202e'\\udb40\\udc41\"}");
        assert_eq!(quoted(&shown), "'{\"a\":\"\\u202e'\\''\\udb40\\udc41\"}'");
    }
}

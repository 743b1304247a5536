//! The words of a command line that gives arguments to a tool: members with dots, lists as repeated names, deeper values as JSON. A
//! text that a terminal would not show as it stands is written as JSON with escapes.

use std::fmt::Write as _;

use callgate::secret::SecretReference;
use callgate_tool::{Object, Value, is_invisible_or_control};

use crate::{args::DescriptionArguments, guide::Guide};

/// The words that give each argument by its name; `None` if one cannot be given so.
pub(super) fn words_by_name(values: &Object, guide: Guide<'_>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for (name, value) in values {
        push_argument_words(&mut words, name, value, guide.member(name));
    }
    let is_plain =
        |word: &String| !word.starts_with('-') && !word.contains(is_invisible_or_control);
    let is_named = values.keys().all(|name| !name.contains('='));
    (is_named && words.iter().all(is_plain)).then_some(words)
}

fn push_argument_words(
    words: &mut Vec<String>,
    name: &str,
    value: &Value,
    guide: Option<Guide<'_>>,
) {
    let is_plain = |value: &Value| value.as_array().is_none() && value.as_object().is_none();
    match value {
        Value::Array(items) if items.len() > 1 && items.iter().all(is_plain) => {
            for item in items {
                push_argument_words(words, name, item, None);
            }
        }
        // One item is a list only if nothing else may stand there.
        Value::Array(items)
            if is_list_or_unknown(guide) && items.len() == 1 && items.iter().all(is_plain) =>
        {
            for item in items {
                push_argument_words(words, name, item, None);
            }
        }
        Value::Object(members) if !members.is_empty() && !name.contains('.') => {
            for (below, member) in members {
                let guide = guide.and_then(|guide| guide.member_or_item(below));
                push_argument_words(words, &format!("{name}.{below}"), member, guide);
            }
        }
        Value::String(text) => {
            let literal = if text.starts_with('@') { "@" } else { "" };
            words.push(format!("{name}={literal}{text}"));
        }
        value => words.push(format!("{name}={}", visible_single_line_json(value))),
    }
}

fn is_list_or_unknown(guide: Option<Guide<'_>>) -> bool {
    guide.is_none_or(|guide| guide.types() == ["array"])
}

pub(super) fn is_file_or_file_list(guide: Guide<'_>) -> bool {
    let kinds = guide.allowed_value_kinds();
    let is_list = kinds.array && !kinds.bytes && !kinds.object;
    let of = guide.item_guide().filter(|_| is_list).unwrap_or(guide);
    of.allowed_value_kinds().bytes
}

/// The flags with which the tools were shown, and those of them that a line for others does not repeat.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Flags {
    pub(super) words: Vec<String>,
    /// The flags whose values may be secrets, as a note names them: `-H X-Key`.
    pub(super) left_out: Vec<String>,
}

impl Flags {
    pub(super) fn from_arguments(given: &DescriptionArguments, server: Option<&str>) -> Self {
        let mut flags = Self::default();
        let server = server.map(str::to_owned).or_else(|| given.server.clone());
        flags.add_flag("--server", server);
        flags.add_flag("--overlay", given.overlay.iter().map(|file| file.display().to_string()));
        for (flag, value) in [("--bearer", &given.bearer), ("--api-key", &given.api_key)] {
            flags.add_reference_flag(flag, value.iter(), |value| value);
        }
        let password = |value| split_trimmed(value, ':').map_or("", |(_, password)| password);
        flags.add_reference_flag("--basic", given.basic.iter(), password);
        flags.add_flag("--ca", given.connection.ca.iter().cloned());
        flags.add_flag("--egress-allow", given.connection.egress_allow.iter().cloned());
        for header in &given.requests.headers {
            let (name, value) = split_trimmed(header, ':').unwrap_or((header, ""));
            if is_reference(value) {
                flags.add_flag("-H", [header.clone()]);
            } else {
                flags.left_out.push(format!("-H {name}"));
            }
        }
        flags.add_flag("--timeout", given.requests.timeout.clone());
        flags.add_flag("--limits", given.requests.limits.iter().cloned());
        flags
    }

    fn add_flag(&mut self, flag: &str, values: impl IntoIterator<Item = String>) {
        self.words.extend(values.into_iter().flat_map(|value| [flag.to_owned(), value]));
    }

    /// Adds values of which `part` is a reference, or a word about the session.
    fn add_reference_flag<'v>(
        &mut self,
        flag: &str,
        values: impl Iterator<Item = &'v String>,
        part: impl Fn(&'v str) -> &'v str,
    ) {
        for value in values {
            let secret = part(value);
            if is_reference(secret) || secret.starts_with("$session.") {
                self.add_flag(flag, [value.clone()]);
            } else {
                self.left_out.push(flag.to_owned());
            }
        }
    }
}

fn split_trimmed(text: &str, at: char) -> Option<(&str, &str)> {
    text.split_once(at).map(|(before, after)| (before.trim(), after.trim()))
}

/// True for a reference that is not the secret itself.
fn is_reference(text: &str) -> bool {
    !text.starts_with("literal:") && text.parse::<SecretReference>().is_ok()
}

pub(in crate::commands) fn shell_quoted_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@%+=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// JSON in one line, with escapes for what a terminal would not show.
pub(super) fn visible_single_line_json(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        if is_invisible_or_control(c) || c == '\n' {
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
        let words = words_by_name(values.as_object().unwrap(), Guide::new(schema));
        let words = words.map(|words| {
            words.iter().map(|word| shell_quoted_word(word)).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(words.as_deref(), expected, "{values}");
    }

    #[test]
    fn flags_whose_values_may_be_secrets_are_left_out_and_named() {
        use clap::Parser as _;

        let line = "callgate tools a.yaml --server https://a.example --bearer literal:canary -H X-Key:canary -H X-Env:env:KEY \
                    --timeout 9s";
        let read = crate::args::Arguments::try_parse_from(line.split_whitespace()).unwrap();
        let crate::args::Command::Tools(given) = read.command else { panic!("{read:?}") };
        let flags = Flags::from_arguments(&given.source.description, None);
        let words = "--server https://a.example -H X-Env:env:KEY --timeout 9s";
        assert_eq!(flags.words.join(" "), words);
        assert_eq!(flags.left_out, ["--bearer", "-H X-Key"]);
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
        let shown = visible_single_line_json(&json!({"a": "\u{202e}'\u{e0041}"}));
        assert_eq!(shown, "{\"a\":\"\\u202e'\\udb40\\udc41\"}");
        assert_eq!(shell_quoted_word(&shown), "'{\"a\":\"\\u202e'\\''\\udb40\\udc41\"}'");
    }
}

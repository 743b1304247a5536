//! The arguments of a tool as completion candidates: their names, the names of members inside them, and their legal values.
//! Made from the tool's schema once, and kept as JSON.

use callgate_tool::Value;

use super::{Candidate, first_nonblank_line};
use crate::guide::Guide;

pub(super) struct Argument {
    /// The name with dots, as it is typed.
    pub(super) name: String,
    pub(super) is_required: bool,
    is_list: bool,
    help: String,
    values: Vec<String>,
}

/// The arguments in a tool's schema, required ones first. `body` names an argument that is the whole body; its members
/// are arguments too.
pub(super) fn arguments_of_schema(schema: &Value, body: Option<&str>) -> Vec<Argument> {
    let guide = Guide::new(schema);
    let mut all = Vec::new();
    for name in guide.declared_member_names() {
        let is_required = is_required(guide, name);
        let Some(below) = guide.member(name) else { continue };
        if Some(name) == body {
            for inner in below
                .declared_member_names()
                .into_iter()
                .filter(|inner| guide.member(inner).is_none())
            {
                let required = is_required && self::is_required(below, inner);
                let guide = below.member(inner);
                add_member(&mut all, Member { name: inner, is_required: required, guide }, DEPTH);
            }
        }
        let member = Member { name, is_required, guide: Some(below) };
        add_member(&mut all, member, if Some(name) == body { 1 } else { DEPTH });
    }
    all.sort_by_key(|argument| !argument.is_required);
    all
}

fn is_required(guide: Guide<'_>, name: &str) -> bool {
    let required = guide.keyword("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required_name| required_name == name))
}

#[derive(Clone, Copy)]
struct Member<'a> {
    name: &'a str,
    is_required: bool,
    guide: Option<Guide<'a>>,
}

fn add_member(all: &mut Vec<Argument>, member: Member<'_>, depth: usize) {
    let Member { name, is_required, guide } = member;
    let (Some(guide), Some(depth)) = (guide, depth.checked_sub(1)) else { return };
    if all.len() >= MOST_ARGUMENTS || name.contains(|c: char| c.is_control() || c == '=') {
        return;
    }
    let kinds = guide.allowed_value_kinds();
    let below = if kinds.object && !kinds.bytes && depth > 0 {
        guide.declared_member_names()
    } else {
        Vec::new()
    };
    for inner in below.iter().filter(|inner| !inner.contains('.')) {
        let required = is_required && self::is_required(guide, inner);
        let (name, guide) = (&*format!("{name}.{inner}"), guide.member(inner));
        add_member(all, Member { name, is_required: required, guide }, depth);
    }
    if !below.is_empty() {
        return;
    }
    let each = guide.item_guide().filter(|_| kinds.array);
    let help = guide.keyword("description").and_then(Value::as_str).unwrap_or_default();
    all.push(Argument {
        name: name.to_owned(),
        is_required,
        is_list: kinds.array && !kinds.string,
        help: first_nonblank_line(help),
        values: legal_values(each.unwrap_or(guide)),
    });
}

/// The legal values at a place, if they can be counted.
fn legal_values(guide: Guide<'_>) -> Vec<String> {
    let kinds = guide.allowed_value_kinds();
    let said = guide.keyword("enum").and_then(Value::as_array);
    let one = guide.keyword("const").map(std::slice::from_ref);
    let said: Vec<Value> = match (said, one, kinds.boolean && !kinds.string) {
        (Some(said), ..) => said.clone(),
        (None, Some(one), _) => one.to_vec(),
        (None, None, true) => vec![true.into(), false.into()],
        (None, None, false) => Vec::new(),
    };
    let text = |value: &Value| match value {
        Value::String(text) if text.starts_with('@') => Some(format!("@{text}")),
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Null | Value::Object(_) => None,
    };
    said.iter().filter_map(text).take(MOST_VALUES).collect()
}

pub(super) fn name_candidates(arguments: &[Argument], before: &[&str]) -> Vec<Candidate> {
    let given: Vec<&str> =
        before.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name).collect();
    let is_inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
    };
    let is_free = |argument: &&Argument| {
        let name = &*argument.name;
        given.iter().all(|given| {
            (*given != name || argument.is_list)
                && !is_inside(name, given)
                && !is_inside(given, name)
        })
    };
    let free = arguments.iter().filter(is_free);
    free.map(|argument| {
        let mark = if argument.is_required { "required: " } else { "" };
        Candidate::new(format!("{}=", argument.name), &format!("{mark}{}", argument.help))
    })
    .collect()
}

pub(super) fn value_candidates(arguments: &[Argument], name: &str) -> Vec<Candidate> {
    let named_argument = arguments.iter().find(|argument| argument.name == name);
    let values = named_argument.into_iter().flat_map(|argument| &argument.values);
    values.map(|value| Candidate::new(format!("{name}={value}"), "")).collect()
}

pub(super) fn to_json(arguments: &[Argument]) -> String {
    let kept = arguments.iter().map(|argument| {
        let Argument { name, is_required, is_list, help, values } = argument;
        (name, is_required, is_list, help, values)
    });
    serde_json::to_string(&kept.collect::<Vec<_>>()).unwrap_or_default()
}

pub(super) fn decode_cached_arguments(text: &str) -> Option<Vec<Argument>> {
    let kept: Vec<(String, bool, bool, String, Vec<String>)> = serde_json::from_str(text).ok()?;
    let argument = |(name, is_required, is_list, help, values)| Argument {
        name,
        is_required,
        is_list,
        help,
        values,
    };
    Some(kept.into_iter().map(argument).collect())
}

/// The depth to which people type members.
const DEPTH: usize = 4;
/// More than people look through; deeper members of large bodies are given as JSON.
const MOST_ARGUMENTS: usize = 200;
/// The page of the tool shows longer lists of values.
const MOST_VALUES: usize = 100;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    fn arguments() -> Vec<Argument> {
        let schema = json!({
            "type": "object",
            "properties": {
                "limit": {"type": "integer"},
                "owner": {"type": "string", "description": "Whose\tit is\nmore"},
                "state": {"$ref": "#/$defs/State"},
                "tags": {"type": "array", "items": {"enum": ["a", "b c", 7]}},
                "body": {"type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string"},
                    "limit": {"type": "integer"},
                    "home": {"type": "object", "properties": {"city": {"type": "string"}, "new": {"type": "boolean"}}},
                }},
            },
            "required": ["owner", "body"],
            "$defs": {"State": {"enum": ["open", "@all", null]}},
        });
        decode_cached_arguments(&to_json(&arguments_of_schema(&schema, Some("body")))).unwrap()
    }

    #[track_caller]
    fn check(before: &[&str], expected: &[&str]) {
        let names = name_candidates(&arguments(), before);
        let names: Vec<&str> = names.iter().map(|name| &*name.text).collect();
        assert_eq!(names, expected, "{before:?}");
    }

    #[test]
    fn required_arguments_come_first_and_given_ones_are_left_out() {
        let all =
            ["owner=", "name=", "body=", "limit=", "state=", "tags=", "home.city=", "home.new="];
        check(&[], &all);
        let left = ["name=", "body=", "limit=", "tags=", "home.new="];
        check(&["owner=x", "tags=a", "state=open", "home.city=Rome"], &left);
        let left = ["owner=", "name=", "body=", "limit=", "state=", "tags="];
        check(&["home=@home.json"], &left);
        assert_eq!(name_candidates(&arguments(), &[])[0].help, "required: Whose it is");
    }

    #[test]
    fn completed_values_are_those_that_the_schema_lists() {
        for (name, expected) in [
            ("state", &["state=open", "state=@@all"][..]),
            ("tags", &["tags=a", "tags=b c", "tags=7"]),
            ("home.new", &["home.new=true", "home.new=false"]),
            ("owner", &[]),
            ("none", &[]),
        ] {
            let values = value_candidates(&arguments(), name);
            let values: Vec<&str> = values.iter().map(|value| &*value.text).collect();
            assert_eq!(values, expected, "{name}");
        }
    }
}

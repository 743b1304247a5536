//! Example values: valid ones for all that a tool's schema requires. The schema's own examples and defaults come first.

mod pattern;

use callgate_tool::{Number, Object, Value};

/// A way to choose where a schema allows several values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Choice {
    /// True if the schema's own examples and defaults come first; some do not match their schema.
    pub(super) has_examples: bool,
    /// The position of the alternative of each union, of those that there are.
    pub(super) alternative: usize,
}

impl Choice {
    /// The ways to try, the plainest first.
    pub(super) fn all_choices() -> impl Iterator<Item = Self> {
        let ways = |has_examples| {
            (0..MOST_ALTERNATIVES).map(move |alternative| Self { has_examples, alternative })
        };
        ways(true).chain(ways(false))
    }
}

/// An example value with all that `schema` requires; `root` holds the definitions.
pub(super) fn example_value(schema: &Value, root: &Value, choice: Choice) -> Value {
    Making { root, choice }.example_value(schema, DEPTH)
}

#[derive(Clone, Copy)]
struct Making<'a> {
    root: &'a Value,
    choice: Choice,
}

impl Making<'_> {
    fn example_value(self, schema: &Value, depth: usize) -> Value {
        let Some(depth) = depth.checked_sub(1) else { return Value::Null };
        if let Some(given_value) = stated_value(schema, self.choice.has_examples) {
            return given_value.clone();
        }
        let mut value = self.value_by_type(schema, depth);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let referred = reference.strip_prefix('#').and_then(|at| self.root.pointer(at));
            value = referred.map(|schema| self.example_value(schema, depth)).unwrap_or_default();
        }
        let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let chosen = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| {
            self.chosen_alternative(schema.get(keyword).and_then(Value::as_array)?)
        });
        for part in chosen.chain(all) {
            let other = self.example_value(part, depth);
            match (&mut value, other) {
                (Value::Object(members), Value::Object(more)) => members.extend(more),
                (_, Value::Null) => {}
                (value, other) => *value = other,
            }
        }
        value
    }

    /// The chosen alternative among those that are not `null`.
    fn chosen_alternative(self, alternatives: &[Value]) -> Option<&Value> {
        let is_value = |branch: &&Value| branch.get("type").is_none_or(|kind| kind != "null");
        let mut values = alternatives.iter().filter(is_value);
        let last = values.clone().next_back();
        values.nth(self.choice.alternative).or(last)
    }

    fn value_by_type(self, schema: &Value, depth: usize) -> Value {
        match first_type(schema) {
            Some("array") => self.example_list(schema, depth),
            Some("boolean") => true.into(),
            Some("integer" | "number") => example_number(schema),
            Some("object") => self.example_object(schema, depth),
            Some("string") => example_text(schema).into(),
            _ => Value::Null,
        }
    }

    fn example_list(self, schema: &Value, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(parse_u64).unwrap_or(1).max(1);
        let items = schema.get("items").filter(|items| items.as_object().is_some());
        let item =
            items.map_or_else(|| Value::from("text"), |items| self.example_value(items, depth));
        let n_items = usize::try_from(least).unwrap_or(1).min(MOST_ITEMS);
        Value::Array(vec![item; n_items])
    }

    fn example_object(self, schema: &Value, depth: usize) -> Value {
        let required = schema.get("required").and_then(Value::as_array);
        let mut members = Object::new();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let declared = schema.get("properties").and_then(|members| members.get(name));
            let other = || schema.get("additionalProperties").filter(|of| of.as_object().is_some());
            let below = declared.or_else(other);
            let below =
                below.map_or_else(|| Value::from("text"), |below| self.example_value(below, depth));
            members.insert(name.to_owned(), below);
        }
        let least = schema.get("minProperties").and_then(parse_u64).unwrap_or_default();
        let least = usize::try_from(least).unwrap_or_default().min(MOST_ITEMS);
        let declared = schema.get("properties").and_then(Value::as_object);
        for (name, below) in declared.into_iter().flatten() {
            if members.len() < least && !members.contains_key(name) {
                members.insert(name.clone(), self.example_value(below, depth));
            }
        }
        // The schema of bytes requires no member, but bytes need one.
        let member = |name: &str| schema.get("properties")?.get(name);
        if members.is_empty() && member("text").is_some() && member("handle").is_some() {
            members.insert("text".to_owned(), "hello".into());
        }
        Value::Object(members)
    }
}

/// The value that a schema names: its `const`, an example, its default, or the first of its `enum`.
fn stated_value(schema: &Value, has_examples: bool) -> Option<&Value> {
    let first = |keyword: &str| {
        schema.get(keyword).and_then(Value::as_array)?.iter().find(|one| **one != Value::Null)
    };
    let only = schema.get("const");
    if !has_examples {
        return only.or_else(|| first("enum"));
    }
    let said = only.or_else(|| schema.get("example")).or_else(|| first("examples"));
    said.or_else(|| schema.get("default").filter(|default_value| **default_value != Value::Null))
        .or_else(|| first("enum"))
}

/// The type of a schema; the first if there are several.
fn first_type(schema: &Value) -> Option<&str> {
    let named = match schema.get("type") {
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")
        }
        kind => kind.and_then(Value::as_str),
    };
    let has = |keyword: &str| schema.get(keyword).is_some();
    let composed = ["oneOf", "anyOf", "allOf"].into_iter().any(has);
    named.or_else(|| if has("properties") { Some("object") } else { None }).or(if composed {
        None
    } else {
        Some("string")
    })
}

fn example_number(schema: &Value) -> Value {
    let bound = |keyword: &str| schema.get(keyword)?.to_string().parse::<f64>().ok();
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let is_whole = first_type(schema) == Some("integer");
    let unit = step.unwrap_or(1.0);
    let mut value = step.unwrap_or(1.0);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|least| least + unit));
    if let Some(least) = least.filter(|least| value < *least) {
        value = if step.is_some() { (least / unit).ceil() * unit } else { least };
    }
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|most| most - unit));
    if let Some(most) = most.filter(|most| value > *most) {
        value = if step.is_some() { (most / unit).floor() * unit } else { most };
    }
    let value = if is_whole { value.ceil() } else { value };
    Number::from_digits(&value.to_string()).map(Value::Number).unwrap_or_default()
}

fn example_text(schema: &Value) -> String {
    let word = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    if let Some(text) =
        word("pattern").and_then(pattern::matching_text).filter(|text| !text.is_empty())
    {
        return text;
    }
    let by_format = FORMATS.iter().find(|(name, _)| word("format") == Some(*name));
    let mut text = by_format.map_or("text", |(_, example)| example).to_owned();
    let least =
        schema.get("minLength").and_then(parse_u64).and_then(|least| usize::try_from(least).ok());
    while text.chars().count() < least.unwrap_or_default().min(MOST_CHARACTERS) {
        text.push('x');
    }
    let most =
        schema.get("maxLength").and_then(parse_u64).and_then(|most| usize::try_from(most).ok());
    text.chars().take(most.unwrap_or(usize::MAX)).collect()
}

fn parse_u64(value: &Value) -> Option<u64> {
    value.to_string().parse().ok()
}

const FORMATS: [(&str, &str); 12] = [
    ("byte", "aGVsbG8="),
    ("date", "2026-01-31"),
    ("date-time", "2026-01-31T12:00:00Z"),
    ("duration", "PT1H"),
    ("email", "kim@example.com"),
    ("hostname", "host.example.com"),
    ("ipv4", "192.0.2.7"),
    ("ipv6", "2001:db8::7"),
    ("time", "12:00:00Z"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("uuid", "123e4567-e89b-42d3-a456-426614174000"),
];

const MOST_ALTERNATIVES: usize = 4;
const DEPTH: usize = 24;
const MOST_CHARACTERS: usize = 64;
const MOST_ITEMS: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        let choice = Choice { has_examples: true, alternative: 0 };
        assert_eq!(&example_value(schema, schema, choice), expected, "{schema}");
    }

    #[test]
    fn example_values_satisfy_their_schemas() {
        check(&json!({"type": "integer", "minimum": 5}), &json!(5));
        check(&json!({"type": "integer", "maximum": 0}), &json!(0));
        check(&json!({"type": "number", "multipleOf": 0.5, "minimum": 1.2}), &json!(1.5));
        check(&json!({"type": "string", "minLength": 6}), &json!("textxx"));
        check(&json!({"enum": [null, "a"]}), &json!("a"));
        check(&json!({"type": ["null", "boolean"]}), &json!(true));
        check(
            &json!({"type": "array", "items": {"type": "integer"}, "minItems": 2}),
            &json!([1, 1]),
        );
        check(
            &json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}, "b": {}},
                "$defs": {"a": {"oneOf": [{"type": "null"}, {"type": "string", "format": "date"}]}}}),
            &json!({"a": "2026-01-31"}),
        );
    }
}

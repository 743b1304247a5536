//! An example of a call: valid values for all that a tool's schema requires, and the command line that gives them. The
//! schema's own examples and defaults come first.

use callgate_tool::{Number, Object, Value};

use crate::guide::Guide;

/// An example value with all that `schema` requires; `root` holds the definitions.
pub(super) fn value(schema: &Value, root: &Value) -> Value {
    made(schema, root, DEPTH)
}

/// Arguments as a user types them: members with dots, lists as repeated names, the bytes of a file as `@FILE`, deeper values
/// as JSON.
pub(super) fn arguments(values: &Object, guide: Guide<'_>) -> String {
    let mut words = Vec::new();
    for (name, value) in values {
        push(&mut words, name, value, guide.member(name), true);
    }
    words.join(" ")
}

fn push(
    words: &mut Vec<String>,
    name: &str,
    value: &Value,
    guide: Option<Guide<'_>>,
    may_go_in: bool,
) {
    let is_plain = |value: &Value| value.as_array().is_none() && value.as_object().is_none();
    if guide.is_some_and(is_file) {
        words.push(quoted(&format!("{name}=@FILE")));
        return;
    }
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(is_plain) => {
            for item in items {
                push(words, name, item, None, false);
            }
        }
        Value::Object(members) if may_go_in && !members.is_empty() && !name.contains('.') => {
            for (below, member) in members {
                let guide = guide.and_then(|guide| guide.below(below));
                push(words, &format!("{name}.{below}"), member, guide, true);
            }
        }
        Value::String(text) => {
            let literal = if text.starts_with('@') { "@" } else { "" };
            words.push(quoted(&format!("{name}={literal}{text}")));
        }
        value => words.push(quoted(&format!("{name}={value}"))),
    }
}

/// Returns true for the bytes of a file, and for a list of them.
pub(super) fn is_file(guide: Guide<'_>) -> bool {
    let kinds = guide.kinds();
    let is_list = kinds.array && !kinds.bytes && !kinds.object;
    let of = guide.each().filter(|_| is_list).unwrap_or(guide);
    of.kinds().bytes
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@%+=".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn made(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let referred = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return referred.map(|schema| made(schema, root, depth)).unwrap_or_default();
    }
    if let Some(known) = known(schema) {
        return known.clone();
    }
    let mut value = plain(schema, root, depth);
    let branches =
        |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    let not_null = |branch: &&Value| branch.get("type").is_none_or(|kind| kind != "null");
    let chosen =
        branches("oneOf").find(not_null).into_iter().chain(branches("anyOf").find(not_null));
    for part in chosen.chain(branches("allOf")) {
        let other = made(part, root, depth);
        match (&mut value, other) {
            (Value::Object(members), Value::Object(more)) => members.extend(more),
            (_, Value::Null) => {}
            (value, other) => *value = other,
        }
    }
    value
}

/// The value that a schema names: its `const`, an example, its default, or the first of its `enum`.
fn known(schema: &Value) -> Option<&Value> {
    let first = |keyword: &str| {
        schema.get(keyword).and_then(Value::as_array)?.iter().find(|one| **one != Value::Null)
    };
    let said = schema.get("const").or_else(|| schema.get("example")).or_else(|| first("examples"));
    said.or_else(|| schema.get("default").filter(|known| **known != Value::Null))
        .or_else(|| first("enum"))
}

fn plain(schema: &Value, root: &Value, depth: usize) -> Value {
    match kind(schema) {
        Some("array") => list(schema, root, depth),
        Some("boolean") => true.into(),
        Some("integer" | "number") => number(schema),
        Some("object") => object(schema, root, depth),
        Some("string") => text(schema).into(),
        _ => Value::Null,
    }
}

/// The type of a schema; the first if there are several.
fn kind(schema: &Value) -> Option<&str> {
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

fn list(schema: &Value, root: &Value, depth: usize) -> Value {
    let least = schema.get("minItems").and_then(whole).unwrap_or(1).max(1);
    let items = schema.get("items").filter(|items| items.as_object().is_some());
    let item = items.map_or_else(|| Value::from("text"), |items| made(items, root, depth));
    let n_items = usize::try_from(least).unwrap_or(1).min(MOST_ITEMS);
    Value::Array(vec![item; n_items])
}

fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    let mut members = Object::new();
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let below = schema.get("properties").and_then(|members| members.get(name));
        let below = below.map_or_else(|| Value::from("text"), |below| made(below, root, depth));
        members.insert(name.to_owned(), below);
    }
    // The schema of bytes requires no member, but bytes need one.
    let member = |name: &str| schema.get("properties")?.get(name);
    if members.is_empty() && member("text").is_some() && member("handle").is_some() {
        members.insert("text".to_owned(), "hello".into());
    }
    Value::Object(members)
}

fn number(schema: &Value) -> Value {
    let bound = |keyword: &str| schema.get(keyword).and_then(real);
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let is_whole = kind(schema) == Some("integer");
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

fn text(schema: &Value) -> String {
    let word = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    let by_format = FORMATS.iter().find(|(name, _)| word("format") == Some(*name));
    let mut text = by_format.map_or("text", |(_, example)| example).to_owned();
    let least =
        schema.get("minLength").and_then(whole).and_then(|least| usize::try_from(least).ok());
    while text.chars().count() < least.unwrap_or_default().min(MOST_CHARACTERS) {
        text.push('x');
    }
    let most = schema.get("maxLength").and_then(whole).and_then(|most| usize::try_from(most).ok());
    text.chars().take(most.unwrap_or(usize::MAX)).collect()
}

fn real(value: &Value) -> Option<f64> {
    value.to_string().parse().ok()
}

fn whole(value: &Value) -> Option<u64> {
    value.to_string().parse().ok()
}

/// Values for the formats that are checked.
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

const DEPTH: usize = 24;
const MOST_CHARACTERS: usize = 64;
const MOST_ITEMS: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        assert_eq!(&value(schema, schema), expected, "{schema}");
    }

    #[test]
    fn values_are_those_that_schemas_take() {
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

    #[test]
    fn arguments_are_typed_as_a_shell_reads_them() {
        let file = json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"data": {"contentEncoding": "base64"}}}]});
        let schema = json!({"properties": {"photo": (file.clone()), "of": {"type": "object", "properties": {"photos": {"type": "array", "items": file}}}}});
        let values = json!({"photo": "text", "of": {"photos": ["text", "text"]}});
        assert_eq!(
            arguments(values.as_object().unwrap(), Guide::new(&schema)),
            "photo=@FILE of.photos=@FILE"
        );
        let values = json!({"a": 1, "b": "it's", "tags": ["x", "y"], "owner": {"email": "k@e.c", "home": {"c": 1}}, "at": "@x"});
        assert_eq!(
            arguments(values.as_object().unwrap(), Guide::new(&Value::Null)),
            "a=1 'b=it'\\''s' tags=x tags=y owner.email=k@e.c 'owner.home={\"c\":1}' at=@@x"
        );
    }
}

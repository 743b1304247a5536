//! The schema of a shape, in the words of JSON Schema 2020-12 (OpenAPI 3.1.1 §4.8.24).

use callgate_tool::{Object, Value, json};

use crate::{
    guess::{ENOUGH_SAMPLES, Evidence, Guesses, Side, below},
    redact::MASKED,
    shape::Shape,
    text::{Format, is_integer, looks_random},
};

/// The most values of an enumeration.
const MOST_VALUES: usize = 3;
/// The fewest members of equal shape that may be called a map.
const LEAST_MEMBERS: usize = 8;
/// Words of names whose few texts are no enumeration.
const FREE_NAMES: [&str; 12] = [
    "name",
    "title",
    "text",
    "description",
    "comment",
    "message",
    "id",
    "note",
    "city",
    "street",
    "label",
    "email",
];

/// Names of what an object is, without which it would be none.
const IDENTITY_NAMES: [&str; 7] = ["id", "_id", "gid", "uuid", "type", "kind", "object"];

const SETTLE_NULL: &str = "take `null` out of `type` if it is never absent";
const SETTLE_ENUM: &str = "add the values that are missing, or remove `enum`";
const SETTLE_MAP: &str = "write `properties` if these names are fixed";
const SETTLE_MEMBER: &str = "name it in `required` if it is always there";
const SETTLE_REQUIRED: &str = "take it out of `required` if it may be absent";
const SETTLE_UNKNOWN: &str = "write the type that it has where it is not empty";
const SETTLE_FORMAT: &str = "remove `format` if other texts may come";

/// Writes the schema of what was seen at a place; `name` is that of the member.
pub(crate) fn write_schema(
    shape: &Shape,
    name: &str,
    pointer: &str,
    guesses: &mut Guesses,
) -> Value {
    let mut schema = Object::new();
    let types = sample_types(shape);
    match types.as_slice() {
        [] => {
            if shape.n_samples > 0 {
                guesses.add(
                    pointer,
                    "any value: only `null` or nothing was there".to_owned(),
                    Evidence(0, shape.n_samples),
                    SETTLE_UNKNOWN,
                );
            }
            return Value::Object(schema);
        }
        [kind] => schema.insert("type", Value::from(*kind)),
        kinds => schema.insert("type", kinds.iter().map(|kind| Value::from(*kind)).collect()),
    };
    write_string_keywords(shape, name, pointer, guesses, &mut schema);
    if shape.n_objects > 0 {
        write_members(shape, pointer, guesses, &mut schema);
    }
    if shape.n_arrays > 0 {
        let place = below(pointer, "items");
        let items = shape.items.as_deref().map(|items| write_schema(items, name, &place, guesses));
        schema.insert("items", items.unwrap_or_else(|| Value::Object(Object::new())));
    }
    Value::Object(schema)
}

/// The types of the samples; none where all are `null`.
fn sample_types(shape: &Shape) -> Vec<&'static str> {
    let n_numbers = shape.n_integers + shape.n_fractions;
    let number = if shape.n_fractions > 0 { "number" } else { "integer" };
    let kinds = [
        ("object", shape.n_objects),
        ("array", shape.n_arrays),
        ("string", shape.texts.n_samples),
        (number, n_numbers),
        ("boolean", shape.n_booleans),
    ];
    let mut types: Vec<&str> = kinds.iter().filter(|kind| kind.1 > 0).map(|kind| kind.0).collect();
    if shape.n_nulls > 0 && !types.is_empty() {
        types.push("null");
    }
    types
}

fn write_string_keywords(
    shape: &Shape,
    name: &str,
    pointer: &str,
    guesses: &mut Guesses,
    schema: &mut Object,
) {
    let texts = &shape.texts;
    let n_needed = guesses.n_exchanges.max(guesses.side.n_texts_for_enum());
    if let Some(format) = texts.format {
        let evidence = Evidence(texts.n_samples, texts.n_samples);
        guesses.add(pointer, format!("format `{}`", format.as_str()), evidence, SETTLE_FORMAT);
        schema.insert("format", Value::from(format.as_str()));
    } else if let Some(values) =
        likely_enum_values(shape, name).filter(|_| texts.n_samples >= n_needed)
    {
        let evidence = Evidence(texts.n_samples, texts.n_samples);
        guesses.add(pointer, format!("one of {} values", values.len()), evidence, SETTLE_ENUM);
        let mut values: Vec<Value> = values.into_iter().map(Value::from).collect();
        if shape.n_nulls > 0 {
            values.push(Value::Null);
        }
        schema.insert("enum", Value::Array(values));
    }
}

/// The texts, where they look like all that there are.
fn likely_enum_values<'s>(shape: &'s Shape, name: &str) -> Option<Vec<&'s str>> {
    let texts = &shape.texts;
    let is_alone = texts.n_samples + shape.n_nulls == shape.n_samples;
    let name = name.to_ascii_lowercase();
    if !is_alone || FREE_NAMES.iter().any(|word| name.contains(word)) {
        return None;
    }
    let counts = texts.counts.as_ref()?;
    let is_word = |text: &str| {
        let is_plain =
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        is_plain && (1..=32).contains(&text.len()) && !is_integer(text) && !text.contains(MASKED)
    };
    let is_closed = counts.iter().all(|(text, n)| *n >= 2 && is_word(text));
    let is_few = (2..=MOST_VALUES).contains(&counts.len());
    (is_few && is_closed).then(|| counts.keys().map(String::as_str).collect())
}

fn write_members(shape: &Shape, pointer: &str, guesses: &mut Guesses, schema: &mut Object) {
    if is_map(shape) {
        let n_names = shape.members.len();
        guesses.add(
            pointer,
            format!("a map: {n_names} names look like data"),
            Evidence(n_names, n_names),
            SETTLE_MAP,
        );
        let mut values = Shape::default();
        shape.members.iter().for_each(|(_, member)| values.merge(member));
        let below = below(pointer, "additionalProperties");
        schema.insert("additionalProperties", write_schema(&values, "", &below, guesses));
        return;
    }
    let mut properties = Object::new();
    let mut required = Vec::new();
    let place = below(pointer, "properties");
    let n_needed = guesses.n_exchanges.max(guesses.side.n_objects_for_required());
    for (name, member) in &shape.members {
        let at = below(&place, name);
        let mut schema = write_schema(member, name, &at, guesses);
        if guesses.side == (Side::Response { writes_null: true }) && may_still_be_null(member, name)
        {
            allow_null(&mut schema);
            let evidence = Evidence(0, member.n_samples);
            guesses.add(&at, "may be `null`, as others are".to_owned(), evidence, SETTLE_NULL);
        }
        properties.insert(name.clone(), schema);
        let evidence = Evidence(member.n_samples, shape.n_objects);
        if member.n_samples >= shape.n_objects && shape.n_objects >= n_needed {
            required.push(Value::from(name.as_str()));
            guesses.add(&at, "required".to_owned(), evidence, SETTLE_REQUIRED);
        } else {
            guesses.add(&at, "optional".to_owned(), evidence, SETTLE_MEMBER);
        }
    }
    schema.insert("properties", Value::Object(properties));
    schema.insert_unless_empty("required", required);
}

/// True for a member that was never `null`, of too few samples to say that it never will be.
fn may_still_be_null(member: &Shape, name: &str) -> bool {
    let is_seldom = (1..ENOUGH_SAMPLES).contains(&member.n_samples);
    is_seldom && member.n_nulls == 0 && !IDENTITY_NAMES.contains(&name)
}

/// Adds `null` to the types and the values of a schema.
fn allow_null(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    match members.get_mut("type") {
        Some(Value::Array(types)) => types.push(Value::from("null")),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.push(Value::Null);
    }
}

/// True for an object whose names are data: identifiers, or many names of one shape of which each object has others.
pub(crate) fn is_map(shape: &Shape) -> bool {
    let names = || shape.members.iter().map(|member| member.0.as_str());
    let is_data = |name: &str| {
        let is_date =
            matches!(Format::recognize(name), Some(Format::Uuid | Format::Date | Format::DateTime));
        is_integer(name) || is_date || looks_random(name) || name.starts_with(MASKED)
    };
    if shape.members.is_empty() {
        return false;
    }
    if names().all(is_data) {
        return true;
    }
    let has_other_names = shape.members.iter().any(|member| member.1.n_samples < shape.n_objects);
    shape.members.len() >= LEAST_MEMBERS && has_other_names && have_members_one_shape(shape)
}

fn have_members_one_shape(shape: &Shape) -> bool {
    let schema_of = |member: &Shape| {
        let schema = write_schema(member, "name", "", &mut Guesses::default());
        without_keywords(schema, &["required", "enum", "format"])
    };
    let mut schemas = shape.members.iter().map(|member| schema_of(&member.1));
    let first = schemas.next();
    // Numbers and texts alone say little: eight optional texts are no map.
    let is_object = first.as_ref().is_some_and(|schema| schema["type"] == json!("object"));
    is_object && schemas.all(|schema| Some(&schema) == first.as_ref())
}

fn without_keywords(mut schema: Value, words: &[&str]) -> Value {
    if let Value::Object(members) = &mut schema {
        members.retain(|name, _| !words.contains(&name.as_str()));
        for value in members.values_mut() {
            *value = without_keywords(value.take(), words);
        }
    }
    schema
}

//! Exchanges as calls of the drafted tools, without secrets.

use std::collections::BTreeMap;

use callgate_tool::{Number, Object, Value};

use crate::{
    body::Body,
    merge::{existing_path, variable_names},
    operation::Group,
    path::Slot,
    redact::Redacted,
    text::{is_fraction, is_integer},
};

/// A call of a drafted tool, and what the service answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Object,
    /// The status of the response; `None` where no response was there.
    pub status: Option<u16>,
    /// The media type of the response's body.
    pub media_type: Option<String>,
    /// The response's body.
    pub body: String,
    /// The source of the exchange.
    pub place: String,
}

/// A case for each exchange, in the words of a description that has its operation.
pub(crate) fn write_cases(groups: &[Group<'_>], description: &Value) -> Vec<Case> {
    let mut cases = Vec::new();
    for group in groups {
        let path = existing_path(description, &group.template.text());
        let Some(operation) = group.operation_of(description) else { continue };
        let Some(name) = operation.get("operationId").and_then(Value::as_str) else { continue };
        let schemas = parameter_schemas(operation);
        for redacted in &group.exchanges {
            let arguments = write_arguments(group, &path, redacted, operation, &schemas);
            cases.extend(arguments.map(|arguments| write_case(name, arguments, redacted)));
        }
    }
    cases
}

fn write_case(name: &str, arguments: Object, redacted: &Redacted) -> Case {
    let response = redacted.exchange.response.as_ref();
    let body = response.and_then(|response| response.message.body.as_ref());
    Case {
        tool: name.to_owned(),
        arguments,
        status: response.map(|response| response.status),
        media_type: body.map(|body| body.media_type().to_owned()),
        body: body.map(request_body_text).unwrap_or_default(),
        place: redacted.exchange.place.clone(),
    }
}

fn request_body_text(body: &Body) -> String {
    match body {
        Body::Json(_, value) => value.to_string(),
        Body::Text(_, text) => text.clone(),
        Body::Form(pairs) => {
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
        }
        Body::Binary(_) | Body::Multipart(_) | Body::Unreadable(_) => String::new(),
    }
}

/// The arguments; `None` where a part of the path has no value.
fn write_arguments(
    group: &Group<'_>,
    path: &str,
    redacted: &Redacted,
    operation: &Value,
    schemas: &Schemas<'_>,
) -> Option<Object> {
    let mut arguments = Object::new();
    let mut names = variable_names(path).into_iter();
    for (slot, segment) in group.template.slots.iter().zip(&redacted.exchange.segments) {
        if let Slot::Variable { suffix, .. } = slot {
            let name = names.next()?;
            let text = segment.value_unless_placeholder()?;
            let text = text.strip_suffix(suffix.as_str()).unwrap_or(text);
            arguments.insert(name, typed_value(text, schemas.get(&("path", name)).copied()));
        }
    }
    for (place, pairs) in [
        ("query", &redacted.exchange.query),
        ("header", &redacted.exchange.request.headers),
        ("cookie", &redacted.cookies),
    ] {
        add_pairs(&mut arguments, place, pairs, schemas);
    }
    add_body(&mut arguments, redacted.exchange.request.body.as_ref(), operation);
    Some(arguments)
}

fn add_pairs(
    arguments: &mut Object,
    place: &str,
    pairs: &[(String, String)],
    schemas: &Schemas<'_>,
) {
    let mut by_name = BTreeMap::<&str, Vec<&str>>::new();
    for (name, text) in pairs {
        by_name.entry(name).or_default().push(text);
    }
    for (name, texts) in by_name {
        let Some(schema) = schemas.get(&(place, name)).copied() else { continue };
        let value = match schema.get("items") {
            Some(items) => texts.into_iter().map(|text| typed_value(text, Some(items))).collect(),
            None => typed_value(texts.first().copied().unwrap_or_default(), Some(schema)),
        };
        arguments.insert(name, value);
    }
}

/// The schemas of an operation's parameters by place and name.
type Schemas<'v> = BTreeMap<(&'v str, &'v str), &'v Value>;

fn parameter_schemas(operation: &Value) -> Schemas<'_> {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let schemas = parameters.filter_map(|parameter| {
        let (place, name) = (parameter.get("in")?.as_str()?, parameter.get("name")?.as_str()?);
        Some(((place, name), parameter.get("schema")?))
    });
    schemas.collect()
}

/// Members of a body are arguments of their own, unless one has the name of a parameter.
fn add_body(arguments: &mut Object, body: Option<&Body>, operation: &Value) {
    let value = match body {
        None | Some(Body::Binary(_) | Body::Unreadable(_)) => return,
        Some(Body::Json(_, value)) => value.clone(),
        Some(Body::Text(_, text)) => Value::from(text.as_str()),
        Some(Body::Form(pairs)) => {
            form_value(pairs.iter().map(|pair| (pair.0.as_str(), pair.1.as_str())), operation)
        }
        Some(Body::Multipart(parts)) => {
            let texts =
                parts.iter().filter_map(|part| Some((part.name.as_str(), part.text.as_deref()?)));
            form_value(texts, operation)
        }
    };
    match value {
        Value::Object(members) if members.keys().all(|name| !arguments.contains_key(name)) => {
            arguments.extend(members);
        }
        value => {
            arguments.insert("body", value);
        }
    }
}

fn form_value<'t>(pairs: impl Iterator<Item = (&'t str, &'t str)>, operation: &Value) -> Value {
    let content = operation.pointer("/requestBody/content").and_then(Value::as_object);
    let schema = content
        .and_then(|content| content.values().next())
        .and_then(|media| media.pointer("/schema/properties"));
    let mut members = Object::new();
    for (name, text) in pairs {
        let schema = schema.and_then(|properties| properties.get(name));
        match schema.and_then(|schema| schema.get("items")) {
            Some(items) => {
                let list = members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.push(typed_value(text, Some(items)));
                }
            }
            None => {
                members.insert(name, typed_value(text, schema));
            }
        }
    }
    Value::Object(members)
}

/// A text as the type of its schema.
fn typed_value(text: &str, schema: Option<&Value>) -> Value {
    let kind =
        schema.and_then(|schema| schema.get("type")).and_then(Value::as_str).unwrap_or("string");
    let number = || Number::from_digits(text).map(Value::Number);
    let value = match kind {
        "integer" | "number" if is_integer(text) || is_fraction(text) => number(),
        "boolean" => text.parse().ok().map(Value::Bool),
        _ => None,
    };
    value.unwrap_or_else(|| Value::from(text))
}

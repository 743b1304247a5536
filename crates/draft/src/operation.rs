//! One operation: its name, its inputs, its bodies, its responses.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Value, json};

use crate::{
    body::Body,
    exchange::Message,
    guess::{Evidence, Guesses, Side, below},
    merge::existing_path,
    name::{camel_name, is_plural, pascal_name, singular},
    parameter::{text_schema, write_parameters},
    path::{Slot, Template},
    redact::Redacted,
    schema::write_schema,
    shape::Shape,
};

const SETTLE_BODY: &str = "write `required: false` if the service takes a request without a body";
const SETTLE_UNREADABLE: &str = "draft from whole bodies, or describe this one";
const SETTLE_RESPONSE: &str = "call the operation and draft again, or describe its response";
const SETTLE_SECURITY: &str = "remove `{}` if the service refuses a request without a credential";

/// The exchanges of one method and one path.
pub(crate) struct Group<'e> {
    pub(crate) method: &'e str,
    pub(crate) template: &'e Template,
    pub(crate) exchanges: Vec<&'e Redacted>,
    /// True where the service writes `null` for what is absent.
    pub(crate) writes_null: bool,
}

impl Group<'_> {
    pub(crate) fn write(&self, name: &str, pointer: &str, guesses: &mut Guesses) -> Object {
        let mut operation = Object::new();
        guesses.n_exchanges = self.exchanges.len();
        operation.insert("operationId", Value::from(name));
        let parameters = write_parameters(
            &self.exchanges,
            self.template,
            &below(pointer, "parameters"),
            guesses,
        );
        operation.insert_unless_empty("parameters", parameters);
        let body = self.write_request_body(&below(pointer, "requestBody"), guesses);
        operation.insert_if_some("requestBody", body);
        guesses.side = Side::Response { writes_null: self.writes_null };
        operation.insert("responses", self.write_responses(&below(pointer, "responses"), guesses));
        guesses.side = Side::Request;
        let security = self.write_security(&below(pointer, "security"), guesses);
        operation.insert_if_some("security", security);
        operation
    }

    fn write_request_body(&self, pointer: &str, guesses: &mut Guesses) -> Option<Value> {
        let requests: Vec<&Message> =
            self.exchanges.iter().map(|one| &one.exchange.request).collect();
        let n_bodies = requests.iter().filter(|request| request.body.is_some()).count();
        if n_bodies == 0 {
            return None;
        }
        let content =
            write_content(&requests, &self.subject(), &below(pointer, "content"), guesses);
        let is_required = n_bodies == requests.len();
        if is_required {
            guesses.add(
                pointer,
                "the body is required".to_owned(),
                Evidence(n_bodies, requests.len()),
                SETTLE_BODY,
            );
        }
        Some(json!({"required": is_required, "content": content}))
    }

    fn write_responses(&self, pointer: &str, guesses: &mut Guesses) -> Value {
        let mut by_status: BTreeMap<u16, Vec<&Message>> = BTreeMap::new();
        for response in self.exchanges.iter().filter_map(|one| one.exchange.response.as_ref()) {
            by_status.entry(response.status).or_default().push(&response.message);
        }
        if by_status.is_empty() {
            guesses.add(
                pointer,
                "no response was there".to_owned(),
                Evidence(0, self.exchanges.len()),
                SETTLE_RESPONSE,
            );
            return json!({"default": {"description": "Not seen"}});
        }
        let written = by_status.into_iter().map(|(status, messages)| {
            let place = below(&below(pointer, &status.to_string()), "content");
            let content = write_content(&messages, &self.subject(), &place, guesses);
            let mut response = Object::new();
            response.insert("description", Value::from(status_words(status)));
            if content.as_object().is_some_and(|content| !content.is_empty()) {
                response.insert("content", content);
            }
            (status.to_string(), Value::Object(response))
        });
        Value::Object(written.collect())
    }

    /// The alternatives of credentials that requests had; nothing where none had any.
    fn write_security(&self, pointer: &str, guesses: &mut Guesses) -> Option<Value> {
        let alternatives: BTreeSet<_> = self.exchanges.iter().map(|one| &one.schemes).collect();
        if alternatives.iter().all(|schemes| schemes.is_empty()) {
            return None;
        }
        let n_with = self.exchanges.iter().filter(|one| !one.schemes.is_empty()).count();
        if n_with < self.exchanges.len() {
            let evidence = Evidence(n_with, self.exchanges.len());
            guesses.add(pointer, "a credential is optional".to_owned(), evidence, SETTLE_SECURITY);
        }
        let requirement = |schemes: &&BTreeSet<_>| {
            let schemes = schemes
                .iter()
                .map(|scheme: &crate::security::Scheme| (scheme.component_name(), json!([])));
            Value::Object(schemes.collect())
        };
        // The one with most credentials first.
        Some(Value::Array(alternatives.iter().rev().map(requirement).collect()))
    }

    pub(crate) fn has_origin_of(&self, origins: &BTreeSet<&str>) -> bool {
        self.exchanges.iter().any(|one| origins.contains(one.exchange.origin.as_str()))
    }

    /// This operation in a description that has it.
    pub(crate) fn operation_of<'d>(&self, description: &'d Value) -> Option<&'d Value> {
        let path = existing_path(description, &self.template.text());
        description.pointer(&below(&below("/paths", &path), &self.method.to_ascii_lowercase()))
    }

    /// A name of what the operation is about, for components.
    pub(crate) fn subject(&self) -> String {
        singular(self.template.last_literal().unwrap_or("item"))
    }

    /// A name for the operation: `getPet`, `listPets`, `createPet`, `activatePet`.
    pub(crate) fn name(&self) -> String {
        let slots = &self.template.slots;
        let last = slots.last().and_then(Slot::literal).filter(|text| !text.is_empty());
        let literals: Vec<&str> = slots.iter().filter_map(Slot::literal).collect();
        let subject = literals.last().copied().unwrap_or("item");
        let parent =
            parent_resource(slots).map(|owner| pascal_name(&singular(owner))).unwrap_or_default();
        let one = parent.clone() + &pascal_name(&singular(subject));
        let name = match (self.method, last) {
            ("GET", Some(last)) if is_plural(last) => format!("list{parent}{}", pascal_name(last)),
            ("GET", _) => format!("get{one}"),
            ("POST", Some(last)) if is_plural(last) => format!("create{one}"),
            ("POST", Some(last)) => camel_name(last) + &parent,
            ("PUT", _) => format!("replace{one}"),
            ("POST" | "PATCH", _) => format!("update{one}"),
            (method, _) => format!("{}{one}", method.to_ascii_lowercase()),
        };
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name
        } else {
            format!("call{}", pascal_name(&name))
        }
    }
}

/// The resource that a variable part before the last literal belongs to: `pets` of `/pets/{petId}/visits`.
fn parent_resource(slots: &[Slot]) -> Option<&str> {
    let last = slots.iter().rposition(|slot| slot.literal().is_some())?;
    let before = slots.get(..last)?;
    before.last().filter(|slot| slot.literal().is_none())?;
    before.iter().rev().find_map(Slot::literal)
}

/// A schema for each media type.
fn write_content(
    messages: &[&Message],
    subject: &str,
    pointer: &str,
    guesses: &mut Guesses,
) -> Value {
    let mut by_type: BTreeMap<&str, Vec<&Body>> = BTreeMap::new();
    for body in messages.iter().filter_map(|message| message.body.as_ref()) {
        by_type.entry(body.media_type()).or_default().push(body);
    }
    let written = by_type.into_iter().map(|(media_type, bodies)| {
        let place = below(&below(pointer, media_type), "schema");
        let n_unreadable = bodies.iter().filter(|body| matches!(body, Body::Unreadable(_))).count();
        if n_unreadable > 0 {
            let text = format!("`{media_type}`, although bodies are none: they may be cut");
            guesses.add(&place, text, Evidence(n_unreadable, bodies.len()), SETTLE_UNREADABLE);
        }
        (media_type.to_owned(), json!({"schema": body_schema(&bodies, subject, &place, guesses)}))
    });
    Value::Object(written.collect())
}

/// The schema of bodies of one media type.
fn body_schema(bodies: &[&Body], subject: &str, pointer: &str, guesses: &mut Guesses) -> Value {
    let mut shape = Shape::default();
    let mut forms: Vec<Vec<(&str, Option<&str>)>> = Vec::new();
    for body in bodies {
        match body {
            Body::Json(_, value) => shape.add_sample(value),
            Body::Unreadable(_) => {}
            Body::Form(pairs) => forms
                .push(pairs.iter().map(|pair| (pair.0.as_str(), Some(pair.1.as_str()))).collect()),
            Body::Multipart(parts) => forms.push(
                parts.iter().map(|part| (part.name.as_str(), part.text.as_deref())).collect(),
            ),
            Body::Text(..) => return json!({"type": "string"}),
            Body::Binary(_) => return json!({"type": "string", "format": "binary"}),
        }
    }
    if forms.is_empty() {
        write_schema(&shape, subject, pointer, guesses)
    } else {
        form_schema(&forms, pointer, guesses)
    }
}

/// The schema of forms: an object with a member for each name.
fn form_schema(forms: &[Vec<(&str, Option<&str>)>], pointer: &str, guesses: &mut Guesses) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in forms.iter().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut properties = Object::new();
    let mut required = Vec::new();
    for name in names {
        let has_name = |form: &&Vec<(&str, Option<&str>)>| form.iter().any(|pair| pair.0 == name);
        let is_list =
            forms.iter().any(|form| form.iter().filter(|pair| pair.0 == name).count() > 1);
        let values = forms.iter().flatten().filter(|pair| pair.0 == name);
        let is_file = values.clone().any(|pair| pair.1.is_none());
        let place = below(&below(pointer, "properties"), name);
        let schema = if is_file {
            json!({"type": "string", "format": "binary"})
        } else {
            text_schema(values.filter_map(|pair| pair.1), name, &place, guesses)
        };
        let schema = if is_list { json!({"type": "array", "items": schema}) } else { schema };
        properties.insert(name, schema);
        if forms.len() > 1 && forms.iter().filter(has_name).count() == forms.len() {
            required.push(Value::from(name));
        }
    }
    let mut schema = Object::new();
    schema.insert("type", Value::from("object"));
    schema.insert("properties", Value::Object(properties));
    schema.insert_unless_empty("required", required);
    Value::Object(schema)
}

fn status_words(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No content",
        400 => "Bad request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not found",
        409 => "Conflict",
        422 => "Unprocessable content",
        429 => "Too many requests",
        500..600 => "An error of the service",
        _ if status < 300 => "Success",
        _ if status >= 400 => "An error of the request",
        _ => "Another response",
    }
}

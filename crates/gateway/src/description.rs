//! `GET /openapi.json`: the sidecar's description, derived from its code, so that its paths can also be tools.
//! Further routes describe themselves.

use callgate_dialect::{Dialect, Form};
use callgate_tool::{Object, Value, json};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::{
    admin, approvals, bodies, calls, dialects, drafts, health, observe::prometheus,
    problem::Details, results, search, sessions, tools,
};

/// The paths from the code and those of further routes, with the schemas they refer to.
pub(crate) fn openapi_json(further: &Object) -> String {
    let paths = GatewayDescription::openapi().to_json().unwrap_or_default();
    let mut document = Value::parse(&paths).unwrap_or_default();
    for (pointer, name) in [("/paths", "paths"), ("/components/schemas", "schemas")] {
        let members = document.pointer_mut(pointer).and_then(Value::as_object_mut);
        if let (Some(extra_members), Some(Value::Object(others))) = (members, further.get(name)) {
            extra_members.extend(others.clone());
        }
    }
    let schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    for operation in operations_mut(&mut document) {
        complete_operation(operation, &schemas);
    }
    document.to_string()
}

fn operations_mut(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flat_map(Object::values_mut).filter_map(Value::as_object_mut);
    items.flat_map(Object::values_mut)
}

/// Adds what the derived description lacks: bodies are required, optional parameters are not `null`, and every refusal is a
/// problem. Schemas of requests are inlined, because some providers of models do not accept references.
fn complete_operation(operation: &mut Value, schemas: &Value) {
    let refusals: &[(&str, &str)] = match operation.get("requestBody") {
        Some(_) => &REFUSALS,
        None => &[("400", "The path, the query or a header is malformed")],
    };
    if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
        for (status, description) in refusals {
            responses.entry(*status).or_insert(json!({"description": *description}));
        }
        let refused = responses.iter_mut().filter(|(status, _)| status.starts_with(['4', '5']));
        for response in refused.filter_map(|(_, response)| response.as_object_mut()) {
            let problem = json!({"application/problem+json": {"schema": {"$ref": PROBLEM}}});
            response.entry("content").or_insert(problem);
        }
    }
    if let Some(body) = operation.get_mut("requestBody").and_then(Value::as_object_mut) {
        body.insert("required", Value::Bool(true));
        if let Some(content) = body.get_mut("content") {
            inline_schemas(content, schemas);
        }
    }
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        let values: Vec<&str> = match name {
            "effect" => callgate_tool::Effect::ALL.iter().map(|effect| effect.as_str()).collect(),
            "dialect" => Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect(),
            "state" => bodies::ApprovalState::WORDS.to_vec(),
            "form" => Form::ALL.iter().map(|form| form.as_str()).collect(),
            "If-None-Match" => vec!["*"],
            _ => Vec::new(),
        };
        let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else {
            continue;
        };
        if !values.is_empty() {
            let values = values.into_iter().map(|value| Value::String(value.to_owned()));
            schema.insert("enum", Value::Array(values.collect()));
        }
        let Some(kind) = schema.get_mut("type") else { continue };
        if let Some(first) = kind.as_array().and_then(|kinds| kinds.first()).cloned() {
            *kind = first;
        }
    }
}

/// Replaces references by the schemas they refer to; no schema refers to itself.
fn inline_schemas(value: &mut Value, schemas: &Value) {
    let name = value.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(SCHEMA));
    if let Some(schema) = name.and_then(|name| schemas.get(name)) {
        *value = schema.clone();
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| inline_schemas(item, schemas)),
        Value::Object(members) => {
            members.values_mut().for_each(|each| inline_schemas(each, schemas));
        }
        _ => {}
    }
}

/// Every path of callers.
#[derive(Debug, OpenApi)]
#[openapi(
    info(
        title = "callgate",
        description = "Calls the tools of an OpenAPI tool executor gateway: exact requests, with credentials that no caller sees.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    servers((url = "http://127.0.0.1:8410", description = "A sidecar on this machine")),
    paths(
        admin::changes, admin::list_calls, admin::reload, admin::show_call, admin::show_report, approvals::decide, approvals::list, approvals::show, calls::run, dialects::run,
        drafts::run, health::live, health::ready, prometheus::show, results::show, results::store, search::run, sessions::delete, sessions::patch,
        sessions::put, sessions::show, tools::list, tools::show,
    ),
    components(schemas(Details, sessions::SessionBody<'_>)),
    modifiers(&Tokens),
    security((), ("token" = [])),
    tags(
        (name = "calls", description = "Calls and their results"),
        (name = "operation", description = "What an operator asks of a sidecar"),
        (name = "sessions", description = "What a runtime knows and a model must not choose"),
        (name = "tools", description = "What a model may call"),
    ),
)]
struct GatewayDescription;

/// Adds the ways in which callers identify themselves.
#[derive(Debug)]
struct Tokens;

impl Modify for Tokens {
    fn modify(&self, document: &mut Document) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token of `access`; none is needed where everybody is served"))
            .build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

const SCHEMA: &str = "#/components/schemas/";
const PROBLEM: &str = "#/components/schemas/Problem";
const REFUSALS: [(&str, &str); 5] = [
    ("400", "The body, the path, the query or a header is malformed"),
    ("413", "The body is too large"),
    ("415", "The body is not JSON"),
    ("429", "As many requests of this principal as it may send are being answered"),
    ("503", "The sidecar cannot do this now"),
];

#[cfg(test)]
mod tests;

//! The whole description.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Value, json};

use crate::{
    body::Body,
    case::{Case, write_cases},
    component::share_schemas,
    error::{self, Error},
    exchange::Exchange,
    guess::{Evidence, Guess, Guesses, below},
    merge::{
        check_openapi_version, merge_descriptions,
        server::{remove_server_path, server_addresses},
    },
    name::unique_name,
    operation::Group,
    path::{Template, path_templates},
    redact::{Redacted, redact_secrets},
    security::Scheme,
};

const SETTLE_SERVER: &str = "write the address that your sidecar reaches";
const SETTLE_SCHEME: &str =
    "set the credential by `auth:` of the toolset; correct the scheme if the service has another";

/// What a draft is made with, beside exchanges.
#[derive(Clone, Debug, Default)]
pub struct DraftOptions {
    /// What the tool is for, in the words of a person.
    pub prompt: String,
    /// A description to which the draft is added. What stands there stays.
    pub merge: Option<Value>,
}

/// A description, the evidence of what it says, and a case for each exchange.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Draft {
    /// OpenAPI 3.1.
    pub description: Value,
    /// What no exchange proves.
    pub guesses: Vec<Guess>,
    /// The exchanges as calls of the description's tools.
    pub cases: Vec<Case>,
}

/// Drafts a description. The same exchanges give the same description.
///
/// # Errors
/// When there is no exchange.
pub fn draft(exchanges: Vec<Exchange>, options: &DraftOptions) -> Result<Draft, Error> {
    if exchanges.is_empty() {
        return Err(error::no_exchange());
    }
    for exchange in &exchanges {
        exchange.check_part_counts()?;
    }
    let addresses = match &options.merge {
        Some(existing) => {
            check_openapi_version(existing)?;
            server_addresses(existing)
        }
        None => Vec::new(),
    };
    let mut exchanges = exchanges;
    for exchange in &mut exchanges {
        remove_server_path(exchange, &addresses);
    }
    let (redacted, prompt) = redact_secrets(exchanges, &options.prompt);
    let templates = path_templates(&redacted);
    let mut groups = grouped_by_operation(&redacted, &templates);
    let null_origins = origins_writing_null(&redacted);
    for group in &mut groups {
        // What a person wrote is widened by what was there, and by no guess.
        let is_written =
            options.merge.as_ref().is_some_and(|existing| group.operation_of(existing).is_some());
        group.writes_null = !is_written && group.has_origin_of(&null_origins);
    }
    let mut guesses = Guesses::default();
    let mut description = Object::new();
    description.insert("openapi", Value::from("3.1.0"));
    description.insert("info", write_info(&redacted, &prompt, groups.len()));
    let origins: BTreeSet<&str> = redacted.iter().map(|one| one.exchange.origin.as_str()).collect();
    if origins.len() == 1 {
        description.insert("servers", write_servers(&origins, "/servers", &mut guesses));
    }
    // An operation says where it is, unless that is where all are.
    let has_servers = |origin: &str| match &options.merge {
        Some(_) => !addresses.iter().any(|address| address == origin),
        None => origins.len() > 1,
    };
    let mut paths = write_paths(&groups, &prompt, &has_servers, &mut guesses);
    let mut guesses = guesses.all;
    let subjects = groups.iter().map(|group| (operation_pointer(group), group.subject())).collect();
    let schemas = share_schemas(&mut paths, &subjects, &mut guesses);
    description.insert("paths", paths);
    let components = write_components(schemas, &redacted, &mut guesses);
    description.insert_unless_empty("components", components);
    let mut drafted = Value::Object(description);
    if let Some(existing) = &options.merge {
        drafted = merge_descriptions(existing, &drafted, &mut guesses);
    }
    let cases = write_cases(&groups, &drafted);
    guesses.sort();
    guesses.dedup_by(|second, first| second.pointer == first.pointer && second.text == first.text);
    Ok(Draft { description: drafted, guesses, cases })
}

/// Services that write `null` for what is absent. A serializer does so for all members or for none, so that one says it of all.
fn origins_writing_null(redacted: &[Redacted]) -> BTreeSet<&str> {
    let has_null = |exchange: &&Exchange| {
        let body = exchange.response.as_ref().and_then(|response| response.message.body.as_ref());
        matches!(body, Some(Body::Json(_, value)) if has_null_member(value))
    };
    let exchanges = redacted.iter().map(|one| &one.exchange);
    exchanges.filter(has_null).map(|exchange| exchange.origin.as_str()).collect()
}

fn has_null_member(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_null_member),
        Value::Object(members) => {
            members.values().any(|member| *member == Value::Null || has_null_member(member))
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => false,
    }
}

fn grouped_by_operation<'e>(redacted: &'e [Redacted], templates: &'e [Template]) -> Vec<Group<'e>> {
    let mut groups: Vec<Group<'e>> = Vec::new();
    let mut places = BTreeMap::new();
    for (one, template) in redacted.iter().zip(templates) {
        let method = one.exchange.method.as_str();
        let at = *places.entry((template.text(), method)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.exchanges.push(one),
            None => {
                groups.push(Group { method, template, exchanges: vec![one], writes_null: false });
            }
        }
    }
    groups
}

fn write_info(redacted: &[Redacted], prompt: &str, n_operations: usize) -> Value {
    let origin = redacted.first().map(|one| one.exchange.origin.as_str()).unwrap_or_default();
    let host = origin.split("://").last().unwrap_or(origin);
    let mut info = Object::new();
    info.insert("title", Value::from(format!("Draft of {host}")));
    info.insert("version", Value::from("0.1.0"));
    if !prompt.is_empty() && n_operations > 1 {
        info.insert("description", Value::from(prompt));
    }
    Value::Object(info)
}

fn write_servers(origins: &BTreeSet<&str>, pointer: &str, guesses: &mut Guesses) -> Value {
    for (at, origin) in origins.iter().enumerate() {
        if is_private(origin) {
            let place = below(pointer, &at.to_string());
            guesses.add(
                &place,
                format!("`{origin}` is an address of a private network"),
                Evidence(1, 1),
                SETTLE_SERVER,
            );
        }
    }
    origins.iter().map(|origin| json!({"url": *origin})).collect()
}

/// True for an address that means another machine elsewhere (RFC 1918, RFC 6761).
fn is_private(origin: &str) -> bool {
    let host = url::Url::parse(origin).ok().and_then(|url| match url.host()? {
        url::Host::Domain(name) => Some(
            name == "localhost"
                || name.ends_with(".localhost")
                || name.rsplit('.').next() == Some("local")
                || !name.contains('.'),
        ),
        url::Host::Ipv4(address) => {
            Some(address.is_private() || address.is_loopback() || address.is_link_local())
        }
        url::Host::Ipv6(address) => Some(address.is_loopback() || address.is_unique_local()),
    });
    host == Some(true)
}

fn write_paths(
    groups: &[Group<'_>],
    prompt: &str,
    has_servers: &dyn Fn(&str) -> bool,
    guesses: &mut Guesses,
) -> Value {
    let mut paths = Object::new();
    let mut used = BTreeSet::new();
    for group in groups {
        let name = unique_name(group.name(), &mut used);
        let pointer = format!("/paths{}", operation_pointer(group));
        let mut operation = group.write(&name, &pointer, guesses);
        if groups.len() == 1 && !prompt.is_empty() {
            operation.insert("description", Value::from(prompt));
        }
        let origins: BTreeSet<&str> =
            group.exchanges.iter().map(|one| one.exchange.origin.as_str()).collect();
        if origins.iter().any(|origin| has_servers(origin)) {
            let place = below(&pointer, "servers");
            operation.insert("servers", write_servers(&origins, &place, guesses));
        }
        let item =
            paths.entry(group.template.text()).or_insert_with(|| Value::Object(Object::new()));
        if let Some(item) = item.as_object_mut() {
            item.insert(group.method.to_ascii_lowercase(), Value::Object(operation));
        }
    }
    Value::Object(paths)
}

/// The place of an operation below `/paths`.
fn operation_pointer(group: &Group<'_>) -> String {
    below(&below("", &group.template.text()), &group.method.to_ascii_lowercase())
}

fn write_components(schemas: Object, redacted: &[Redacted], guesses: &mut Vec<Guess>) -> Object {
    let mut components = Object::new();
    components.insert_unless_empty("schemas", schemas);
    let schemes: BTreeSet<&Scheme> = redacted.iter().flat_map(|one| &one.schemes).collect();
    if schemes.is_empty() {
        return components;
    }
    let mut scheme_guesses = Guesses::default();
    for scheme in &schemes {
        let n_requests = redacted.iter().filter(|one| one.schemes.contains(*scheme)).count();
        let place = below("/components/securitySchemes", &scheme.component_name());
        scheme_guesses.add(
            &place,
            "requests carried this credential".to_owned(),
            Evidence(n_requests, redacted.len()),
            SETTLE_SCHEME,
        );
    }
    guesses.extend(scheme_guesses.all);
    let objects = schemes
        .iter()
        .map(|scheme| (scheme.component_name(), scheme.security_scheme_object()))
        .collect();
    components.insert("securitySchemes", Value::Object(objects));
    components
}

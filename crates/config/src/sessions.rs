//! The key `sessions`: the data that a sidecar keeps of sessions, and the headers and claims of callers that become
//! parameters.

use std::time::Duration;

use callgate_executor::CLIENT_TIME;
use callgate_policy::APPROVAL_TIME;
use http::{HeaderName, header::AUTHORIZATION};

use crate::{
    code::ConfigCode,
    keys::SESSIONS,
    reader::{Mapping, Reader, at, escaped},
};

/// The sessions of a sidecar.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SessionsConfig {
    /// The time a session is kept after its last change.
    pub time_to_live: Duration,
    /// The time calls wait for the approval of a person.
    pub approval_time: Duration,
    /// The time calls wait for the client that runs them.
    pub client_time: Duration,
    /// The number of kept sessions; a new one replaces the oldest of the principal that holds most.
    pub records: usize,
    /// The total size of the sessions in bytes.
    pub bytes: usize,
    /// Parameters from headers of requests; they replace those of the request's own session.
    pub headers: Vec<(String, HeaderName)>,
    /// Parameters that come only from claims of verified tokens.
    pub claims: Vec<(String, String)>,
}

impl Default for SessionsConfig {
    fn default() -> Self {
        Self {
            time_to_live: Duration::from_hours(24),
            approval_time: APPROVAL_TIME,
            client_time: CLIENT_TIME,
            records: 10_000,
            bytes: 64 << 20,
            headers: Vec::new(),
            claims: Vec::new(),
        }
    }
}

/// Reads `sessions:`.
pub(crate) fn read(reader: &mut Reader, root: Mapping<'_>) -> SessionsConfig {
    let mut config = SessionsConfig::default();
    let Some(node) = root.object.get("sessions") else { return config };
    let pointer = at(root, "sessions");
    let Some(mapping) = reader.mapping(node, &pointer, &SESSIONS) else { return config };
    if let Some(time_to_live) = reader.duration(mapping, "ttl") {
        config.time_to_live = time_to_live;
    }
    if let Some(approval_time) = reader.duration(mapping, "approval_time") {
        config.approval_time = approval_time;
    }
    if let Some(client_time) = reader.duration(mapping, "client_time") {
        config.client_time = client_time;
    }
    if let Some(records) = reader.count(mapping, "most", usize::MAX) {
        config.records = records;
    }
    if let Some(bytes) = reader.bytes(mapping, "bytes") {
        config.bytes = bytes;
    }
    for (parameter, name) in texts(reader, mapping, "headers") {
        let Ok(header) = HeaderName::try_from(&name) else {
            let pointer = format!("{}/{}", at(mapping, "headers"), escaped(&parameter));
            let message = format!("expected the name of a header, got: `{name}`");
            reader.complain(ConfigCode::WrongValue, pointer, message, "for example `X-Tenant`");
            continue;
        };
        if header == AUTHORIZATION {
            let pointer = format!("{}/{}", at(mapping, "headers"), escaped(&parameter));
            let message = "expected a header that says nothing of who calls, got: `Authorization`";
            let help = "a caller's token is never passed on; `token_exchange` exchanges it: `subject_token: $caller.token`";
            reader.complain(ConfigCode::WrongValue, pointer, message, help);
            continue;
        }
        config.headers.push((parameter, header));
    }
    config.claims = texts(reader, mapping, "claims");
    config
}

/// A mapping from parameters to texts.
fn texts(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Vec<(String, String)> {
    let Some(node) = mapping.object.get(key) else { return Vec::new() };
    let pointer = at(mapping, key);
    let Some(members) = node.as_object() else {
        reader.expected(&pointer, "a mapping", node, "name the parameters: `{tenant: …}`");
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, value) in members.iter() {
        let pointer = format!("{pointer}/{}", escaped(name));
        if name.contains('.') || name.is_empty() {
            let message = format!("expected the name of a parameter without dots, got: `{name}`");
            reader.complain(ConfigCode::WrongValue, pointer, message, "name the parameter itself");
            continue;
        }
        match value.as_str().filter(|text| !text.is_empty()) {
            Some(text) => found.push((name.to_string(), text.to_owned())),
            None => reader.expected(&pointer, "a text", value, "name a header or a claim"),
        }
    }
    found
}

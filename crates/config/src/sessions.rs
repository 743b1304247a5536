//! The key `sessions`: the data that a sidecar keeps of sessions, and the headers and claims of callers that become
//! parameters.

use std::time::Duration;

use callgate_executor::CLIENT_TIME;
use callgate_policy::APPROVAL_TIME;
use callgate_settings::{
    Bytes, Count, Kind, Mapping, Reader, SettingCode, forms, member_pointer, pointer_segment,
    settings,
};
use http::{HeaderName, header::AUTHORIZATION};

settings! {
    /// The sessions of a sidecar.
    #[derive(Clone, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct SessionsConfig in "`sessions`" {
        /// The time calls wait for the approval of a person.
        approval_time: Duration = APPROVAL_TIME;
        /// The total size of the sessions in bytes.
        bytes: usize as Bytes = 64 << 20;
        /// Parameters that come only from claims of verified tokens.
        claims: Vec<(String, String)> as Claims = Vec::new();
        /// The time calls wait for the client that runs them.
        client_time: Duration = CLIENT_TIME;
        /// Parameters from headers of requests; they replace those of the request's own session.
        headers: Vec<(String, HeaderName)> as Headers = Vec::new();
        /// The number of kept sessions; a new one replaces the oldest of the principal that holds most.
        records ("most"): usize as Count = 10_000;
        /// The time a session is kept after its last change.
        time_to_live ("ttl"): Duration = Duration::from_hours(24);
    }
}

forms! {
    struct Claims => Vec<(String, String)>, Kind::Map(&Kind::Text), |reader, mapping, key| {
        Some(read_parameter_texts(reader, mapping, key))
    };
    struct Headers => Vec<(String, HeaderName)>, Kind::Map(&Kind::Text), |reader, mapping, key| {
        Some(read_parameter_headers(reader, mapping, key))
    };
}

fn read_parameter_headers(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Vec<(String, HeaderName)> {
    let mut headers = Vec::new();
    for (parameter, name) in read_parameter_texts(reader, mapping, key) {
        let pointer = format!("{}/{}", member_pointer(mapping, key), pointer_segment(&parameter));
        match HeaderName::try_from(&name) {
            Ok(AUTHORIZATION) => {
                let message =
                    "expected a header that says nothing of who calls, got: `Authorization`";
                let help = "a caller's token is never passed on; `token_exchange` exchanges it: `subject_token: $caller.token`";
                reader.report_fault(SettingCode::WrongValue, pointer, message, help);
            }
            Ok(header) => headers.push((parameter, header)),
            Err(_) => {
                let message = format!("expected the name of a header, got: `{name}`");
                reader.report_fault(
                    SettingCode::WrongValue,
                    pointer,
                    message,
                    "for example `X-Tenant`",
                );
            }
        }
    }
    headers
}

/// A mapping from parameters to texts.
fn read_parameter_texts(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Vec<(String, String)> {
    let Some(node) = mapping.object.get(key) else { return Vec::new() };
    let pointer = member_pointer(mapping, key);
    let Some(members) = node.as_object() else {
        reader.report_wrong_type(&pointer, "a mapping", node, "name the parameters: `{tenant: …}`");
        return Vec::new();
    };
    let mut parameter_values = Vec::new();
    for (name, value) in members.iter() {
        let pointer = format!("{pointer}/{}", pointer_segment(name));
        if name.contains('.') || name.is_empty() {
            let message = format!("expected the name of a parameter without dots, got: `{name}`");
            reader.report_fault(
                SettingCode::WrongValue,
                pointer,
                message,
                "name the parameter itself",
            );
            continue;
        }
        match value.as_str().filter(|text| !text.is_empty()) {
            Some(text) => parameter_values.push((name.to_string(), text.to_owned())),
            None => reader.report_wrong_type(&pointer, "a text", value, "for example `X-Tenant`"),
        }
    }
    parameter_values
}

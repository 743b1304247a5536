//! Decides what a call of an operation does to the service: by its method, and for methods that change nothing also by
//! the words of its name, its path and its texts, because descriptions offer commands and tunnels as `GET`.

use callgate_tool::Effect;
use callgate_tree::Node;

use crate::security::argument_header::ArgumentHeader;

#[derive(Clone, Copy, Debug)]
pub(super) struct OperationTexts<'a> {
    pub(super) method: &'a http::Method,
    pub(super) key: &'a str,
    pub(super) operation: &'a Node,
}

/// The effect of a call, if a header may replace the method of the request line.
pub(super) fn effect_with_headers(
    said: OperationTexts<'_>,
    let_through: &[ArgumentHeader],
) -> Effect {
    let is_open = let_through.iter().any(ArgumentHeader::overrides_method);
    if is_open { Effect::Write } else { operation_effect(said) }
}

/// The effect of a method (RFC 9110 §9.2), if the operation does not say that it does more.
pub(super) fn operation_effect(said: OperationTexts<'_>) -> Effect {
    // The specification of the QUERY method (draft-ietf-httpbis-safe-method-w-body §2) says that it is safe.
    if said.method.is_safe() || said.method.as_str() == "QUERY" {
        return if runs_or_connects(said) { Effect::Write } else { Effect::Read };
    }
    if said.method.is_idempotent() { Effect::Idempotent } else { Effect::Write }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Verb {
    Acts,
    Reads,
}

/// True if an operation with a safe method runs something, or opens a connection to it: an action on a resource
/// (`/pods/{name}/exec`), or the first verb of its name or of a text.
fn runs_or_connects(said: OperationTexts<'_>) -> bool {
    let OperationTexts { key, operation, .. } = said;
    let text = |name: &str| operation.text(name).unwrap_or_default();
    if text("x-kubernetes-action") == "connect" || acts_on_resource(key) {
        return true;
    }
    let texts = ["operationId", "summary", "description"]
        .map(|name| first_reading_or_acting_verb(first_sentence(text(name))));
    if texts.contains(&Some(Verb::Acts)) {
        return true;
    }
    let last = key.rsplit('/').find(|segment| !segment.contains('{')).unwrap_or_default();
    !texts.contains(&Some(Verb::Reads)) && first_reading_or_acting_verb(last) == Some(Verb::Acts)
}

fn acts_on_resource(key: &str) -> bool {
    let path = key.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split('/').skip_while(|segment| !segment.contains('{'));
    segments.any(|segment| ACTING.iter().any(|word| segment.eq_ignore_ascii_case(word)))
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(". ").into_iter().chain(text.find('\n')).min().unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn first_reading_or_acting_verb(text: &str) -> Option<Verb> {
    let mut before = String::new();
    for word in folded_words(text).take(MOST_WORDS) {
        // The name of a protocol.
        let is_protocol = word == "connect" && (before == "openid" || before == "id");
        if ACTING.contains(&word.as_str()) && !is_protocol {
            return Some(Verb::Acts);
        }
        if READING.contains(&word.as_str()) {
            return Some(Verb::Reads);
        }
        before = word;
    }
    None
}

/// The words of a name or a text in lower case: `getPodExec`, `rtm.connect`, `Attach to a container`.
fn folded_words(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut end = rest.len();
        let mut was_lower = false;
        for (at, c) in rest.char_indices() {
            if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
                end = at;
                break;
            }
            was_lower = !c.is_uppercase();
        }
        let (word, others) = rest.split_at_checked(end)?;
        rest = others;
        (!word.is_empty()).then(|| word.to_lowercase())
    })
}

/// Words for running something, and for connections through which anything can be sent.
const ACTING: [&str; 13] = [
    "attach",
    "attaches",
    "connect",
    "connects",
    "exec",
    "execs",
    "execute",
    "executes",
    "portforward",
    "proxied",
    "proxies",
    "proxy",
    "tunnel",
];

const READING: [&str; 31] = [
    "check",
    "checks",
    "count",
    "counts",
    "describe",
    "describes",
    "details",
    "download",
    "downloads",
    "fetch",
    "fetches",
    "find",
    "finds",
    "get",
    "gets",
    "inspect",
    "list",
    "lists",
    "lookup",
    "query",
    "read",
    "reads",
    "retrieve",
    "retrieves",
    "return",
    "returns",
    "search",
    "searches",
    "show",
    "shows",
    "view",
];

/// The number of words that are read of a text.
const MOST_WORDS: usize = 40;

#[cfg(test)]
mod tests {
    use callgate_testkit::rows;
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(method: &str, key: &str, operation: Value, expected: Effect) {
        let document = document(json!({"operation": operation}));
        let operation = document.root().get("operation").unwrap();
        let method = http::Method::from_bytes(method.as_bytes()).unwrap();
        assert_eq!(
            operation_effect(OperationTexts { method: &method, key, operation }),
            expected,
            "{method} {key}"
        );
    }

    #[test]
    fn the_effect_of_a_tool_follows_its_method() {
        for (method, expected) in [
            ("GET", Effect::Read),
            ("HEAD", Effect::Read),
            ("QUERY", Effect::Read),
            ("PUT", Effect::Idempotent),
            ("DELETE", Effect::Idempotent),
            ("POST", Effect::Write),
            ("PATCH", Effect::Write),
        ] {
            check(method, "/pets", json!({}), expected);
        }
    }

    #[test]
    fn a_get_that_executes_or_connects_is_no_read() {
        for [key, operation] in rows(
            r#"
            /api/v1/pods/{name}/exec => {"operationId": "connectCoreV1GetNamespacedPodExec"}
            /api/v1/pods/{name}/exec => {}
            /pods/{name}/proxy/{path} => {"operationId": "getPodProxy"}
            /pods/{name}/portforward => {}
            /pods/{name}/x => {"x-kubernetes-action": "connect"}
            /containers/{id}/attach/ws => {"summary": "Attach to a container via a websocket"}
            /rtm.connect => {"operationId": "rtm_connect"}
            /rtm.connect => {}
            /a => {"operationId": "proxyGETNamespacedPod"}
            /a => {"summary": "Executes a command in a container"}
            /a => {"description": "Connects to a device.\n\nGets its state."}
            "#,
        ) {
            let operation: Value = operation.parse().unwrap();
            check("GET", key, operation.clone(), Effect::Write);
            check("HEAD", key, operation, Effect::Write);
        }
    }

    #[test]
    fn a_get_whose_first_verb_reads_is_a_read() {
        for (key, operation) in [
            ("/connections", json!({"operationId": "listConnections"})),
            ("/settings/proxy", json!({"operationId": "getProxySettings"})),
            ("/settings/proxy", json!({"summary": "Returns the settings of the proxy"})),
            ("/userinfo", json!({"summary": "OpenID Connect Userinfo"})),
            ("/userinfo", json!({"operationId": "openid_connect_userinfo"})),
            ("/devices", json!({"description": "Get information about Spotify Connect devices"})),
            ("/executions/{id}", json!({"operationId": "execution"})),
            ("/accounts", json!({"description": "Lists accounts. Connect them first"})),
        ] {
            check("GET", key, operation, Effect::Read);
        }
    }
}

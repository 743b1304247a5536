//! A message exactly as its text gives it, read before the library reads it: with all digits of numbers, and refused if readers
//! could disagree. A message that the library cannot read gets a response too, so that no client waits forever.

use callgate_policy::IdempotencyKey;
use callgate_tool::{JsonReader, JsonToken, Object, Value};
use http::HeaderMap;
use serde_json::json;

use crate::shortlist::Standing;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExactCall {
    pub(crate) id: Value,
    pub(crate) tool: Option<String>,
    pub(crate) arguments: Option<Object>,
    /// `callgate/session` of `_meta`; `null` if absent.
    pub(crate) session: Value,
    /// `callgate/idempotencyKey` of `_meta`, or the header `Idempotency-Key` of the request.
    pub(crate) key: Option<IdempotencyKey>,
    /// The other members of `_meta`.
    pub(crate) meta: Object,
    /// The state from the response to an earlier call.
    pub(crate) state: Option<String>,
    pub(crate) answers: Object,
    /// True if the message has no other members, and each member has its type.
    pub(crate) is_plain: bool,
}

/// A message that is refused: an error of JSON-RPC 2.0 (§5.1).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    id: Value,
    code: i32,
    message: String,
}

impl ExactCall {
    /// The exact parts of a message; empty if it is not a call. Refuses what is not JSON, repeated names, arguments that
    /// are not an object, an idempotency key that is none, and wishes that no call over MCP has.
    pub(crate) fn from_text(text: &[u8]) -> Result<Self, Refusal> {
        let Ok(text) = str::from_utf8(text) else {
            return Err(refusal_with_id(
                Value::Null,
                PARSE_ERROR,
                "expected JSON in UTF-8".to_owned(),
            ));
        };
        let mut message = match Value::parse_unambiguous(text) {
            Ok(Some(message)) => message,
            Ok(None) => {
                let message = "expected each name once in an object".to_owned();
                return Err(refusal_with_id(id_of_broken_message(text), INVALID_REQUEST, message));
            }
            Err(error) => {
                let message = format!("expected JSON: {error}");
                return Err(refusal_with_id(id_of_broken_message(text), PARSE_ERROR, message));
            }
        };
        if message.get("method").and_then(Value::as_str) != Some("tools/call") {
            return Ok(Self::default());
        }
        let id = message.get("id").cloned().unwrap_or_default();
        let is_request = is_json_rpc_request(&message);
        let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) else {
            return Err(refusal_with_id(
                id,
                INVALID_PARAMS,
                "`params`: expected an object".to_owned(),
            ));
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => None,
            Some(Value::Object(arguments)) => Some(arguments),
            Some(other) => {
                let message = format!("`arguments`: expected an object, got: {}", other.kind());
                return Err(refusal_with_id(id, INVALID_PARAMS, message));
            }
        };
        if let Some(message) = http_only_member_problem(params, arguments.is_some()) {
            return Err(refusal_with_id(id, INVALID_PARAMS, message));
        }
        let mut exact = Self { id, arguments, is_plain: is_request, ..Self::default() };
        for (name, value) in std::mem::take(params) {
            match (&*name, value) {
                ("name", Value::String(tool)) => exact.tool = Some(tool),
                ("_meta", Value::Object(meta)) => exact.meta = meta,
                ("requestState", Value::String(state)) => exact.state = Some(state),
                ("inputResponses", Value::Object(answers)) => exact.answers = answers,
                _ => exact.is_plain = false,
            }
        }
        exact.session = exact.meta.remove(SESSION).unwrap_or_default();
        if let Some(key) = exact.meta.remove(KEY) {
            exact.key = Some(
                parse_idempotency_key(&key)
                    .map_err(|wrong| refusal_with_id(exact.id.clone(), INVALID_PARAMS, wrong))?,
            );
        }
        Ok(exact)
    }
}

impl ExactCall {
    /// Takes the key of the request's header, as every other path does. Refuses one that is no key, or another one than that
    /// of `_meta`.
    pub(crate) fn with_idempotency_header(mut self, headers: &HeaderMap) -> Result<Self, Refusal> {
        let mut values = headers.get_all(KEY_HEADER).iter();
        let Some(value) = values.next().filter(|_| self.tool.is_some()) else { return Ok(self) };
        let key = value.to_str().ok().filter(|_| values.next().is_none());
        let Some(key) = key.and_then(IdempotencyKey::of_text) else {
            let message =
                format!("`{KEY_HEADER}`: expected one text of 1 to 255 printable ASCII characters");
            return Err(refusal_with_id(self.id, INVALID_PARAMS, message));
        };
        if self.key.as_ref().is_some_and(|own| *own != key) {
            let message = format!("expected one key, got two: `{KEY_HEADER}` and `{KEY}`");
            return Err(refusal_with_id(self.id, INVALID_PARAMS, message));
        }
        self.key = Some(key);
        Ok(self)
    }

    /// The called tools: the one named, and the one that it calls in turn.
    pub(crate) fn called_tools(&self) -> impl Iterator<Item = String> {
        let standing = self.tool.as_deref().and_then(Standing::from_name);
        let target =
            standing.and_then(|standing| standing.target_call(self.arguments.as_ref())?.ok());
        self.tool.clone().into_iter().chain(target.map(|target| target.tool))
    }
}

impl Refusal {
    pub(crate) fn too_long(most: usize) -> Self {
        let message = format!("expected a message of at most {most} bytes");
        refusal_with_id(Value::Null, INVALID_REQUEST, message)
    }

    /// Refuses one key of a header for several calls.
    pub(crate) fn shared_idempotency_key() -> Self {
        let message = format!(
            "`{KEY_HEADER}`: expected one call, got several; give each call of a batch its own key, `{KEY}` in its `_meta`"
        );
        refusal_with_id(Value::Null, INVALID_REQUEST, message)
    }

    /// Refuses JSON that is not a message of MCP.
    pub(crate) fn not_mcp_message(text: &[u8]) -> Self {
        Self::invalid_request(text, "expected a message of MCP".to_owned())
    }

    pub(crate) fn invalid_request(text: &[u8], message: String) -> Self {
        let id = str::from_utf8(text).map(id_of_broken_message).unwrap_or_default();
        refusal_with_id(id, INVALID_REQUEST, message)
    }

    pub(crate) fn json_rpc_error_text(&self) -> String {
        let Self { id, code, message } = self;
        // Ids are texts and numbers, so their text is JSON.
        let id = id.to_string();
        let error = json!({"code": code, "message": message});
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
    }
}

/// A member that means something in calls over HTTP and nothing here: the call would be made without it.
fn http_only_member_problem(params: &Object, has_arguments: bool) -> Option<String> {
    if params.get(ARGUMENTS_OVER_HTTP).is_some() && !has_arguments {
        return Some(format!("`params`: expected `arguments`, got: `{ARGUMENTS_OVER_HTTP}`"));
    }
    if let Some(name) = WISHES_OVER_HTTP.into_iter().find(|name| params.get(name).is_some()) {
        return Some(format!("`params`: expected `name`, `arguments` and `_meta`, got: `{name}`"));
    }
    let members = params.get("_meta").and_then(Value::as_object).into_iter().flat_map(Object::iter);
    let mut own = members.map(|(name, _)| name).filter(|name| name.starts_with(OWN));
    let unknown = own.find(|name| ![KEY, SESSION].contains(&name.as_str()))?;
    Some(format!("`_meta`: expected `{KEY}` or `{SESSION}`, got: `{unknown}`"))
}

fn parse_idempotency_key(given: &Value) -> Result<IdempotencyKey, String> {
    let valid_key = given.as_str().and_then(IdempotencyKey::of_text);
    valid_key.ok_or_else(|| {
        let got = match given.as_str().map(|text| text.chars().count()) {
            None => given.kind().to_owned(),
            Some(0) => "an empty text".to_owned(),
            Some(length @ 256..) => format!("a text of {length} characters"),
            Some(_) => "a text with a control character".to_owned(),
        };
        format!("`_meta`, `{KEY}`: expected a text of 1 to 255 characters, none of them a control character, got: {got}")
    })
}

fn is_json_rpc_request(message: &Value) -> bool {
    let Some(members) = message.as_object() else { return false };
    let is_version = message.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let is_id = message.get("id").is_some_and(|id| id.as_str().is_some() || id.as_i64().is_some());
    let request_members = ["id", "jsonrpc", "method", "params"];
    is_version && is_id && members.iter().all(|(name, _)| request_members.contains(&&**name))
}

fn refusal_with_id(id: Value, code: i32, message: String) -> Refusal {
    let id = if id.as_str().is_some() || matches!(id, Value::Number(_)) { id } else { Value::Null };
    Refusal { id, code, message }
}

/// The id of a message that cannot be read to its end, if the id comes before the fault.
fn id_of_broken_message(text: &str) -> Value {
    let (mut reader, mut depth, mut is_next) = (JsonReader::new(text), 0_usize, false);
    while let Ok(Some(token)) = reader.next_token() {
        let value = match token {
            JsonToken::String(text) => Some(Value::from(text)),
            JsonToken::Number(digits) => Some(Value::Number(digits.into())),
            _ => None,
        };
        if is_next {
            return value.unwrap_or_default();
        }
        match token {
            JsonToken::ObjectStart | JsonToken::ArrayStart => depth += 1,
            JsonToken::ObjectEnd | JsonToken::ArrayEnd => depth = depth.saturating_sub(1),
            JsonToken::Name(name) => is_next = depth == 1 && name == "id",
            _ => {}
        }
    }
    Value::Null
}

/// The header under which a repeated request makes its call once.
pub(crate) const KEY_HEADER: &str = "idempotency-key";
/// The member of a request's `_meta` under which a repeated call is made once.
const KEY: &str = "callgate/idempotencyKey";
/// The member of a request's `_meta` that describes the session.
const SESSION: &str = "callgate/session";
/// The beginning of the members of `_meta` that only this server gives a meaning.
const OWN: &str = "callgate/";
/// The name of arguments in calls over HTTP.
const ARGUMENTS_OVER_HTTP: &str = "args";
/// Members of requests over HTTP, and of their calls. MCP defines none of these names for a call.
const WISHES_OVER_HTTP: [&str; 9] = [
    "dryRun",
    "execution",
    "form",
    "functions",
    "idempotencyKey",
    "journal",
    "mode",
    "session",
    "timeout",
];
/// JSON-RPC 2.0 §5.1.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        assert_eq!(
            ExactCall::from_text(text.as_bytes()).unwrap_err().json_rpc_error_text(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn arguments_and_session_keep_the_digits_of_their_numbers() {
        let text = r#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":12345678901234567890123,"a":1.10},
            "_meta":{"callgate/session":{"parameters":{"n":9007199254740993}}}}}"#;
        let exact = ExactCall::from_text(text.as_bytes()).unwrap();
        let arguments = Value::Object(exact.arguments.unwrap()).to_string();
        assert_eq!(arguments, r#"{"b":12345678901234567890123,"a":1.10}"#);
        assert_eq!(exact.session.to_string(), r#"{"parameters":{"n":9007199254740993}}"#);
        assert!(!exact.is_plain, "a version is missing");
        assert_eq!(
            ExactCall::from_text(br#"{"id":1,"method":"tools/list"}"#),
            Ok(ExactCall::default())
        );
    }

    #[test]
    fn a_wish_that_no_call_over_mcp_has_is_refused_by_its_name() {
        for (params, expected) in [
            (r#"{"args":{}}"#, "`params`: expected `arguments`, got: `args`"),
            (
                r#"{"session":{"id":"s"}}"#,
                "`params`: expected `name`, `arguments` and `_meta`, got: `session`",
            ),
            (
                r#"{"timeout":"1s"}"#,
                "`params`: expected `name`, `arguments` and `_meta`, got: `timeout`",
            ),
            (
                r#"{"_meta":{"callgate/execution":"client"}}"#,
                "`_meta`: expected `callgate/idempotencyKey` or `callgate/session`, got: `callgate/execution`",
            ),
        ] {
            let text = format!(r#"{{"id":"x","method":"tools/call","params":{params}}}"#);
            let Refusal { code, message, .. } = ExactCall::from_text(text.as_bytes()).unwrap_err();
            assert_eq!((code, &*message), (INVALID_PARAMS, expected));
        }
        let others = br#"{"method":"tools/call","params":{"task":{},"args":1,"arguments":{},"_meta":{"acme/x":1}}}"#;
        assert!(ExactCall::from_text(others).is_ok());
    }

    #[test]
    fn a_refused_message_is_answered_under_its_id() {
        let called = |arguments: &str| {
            format!(r#"{{"id":"x","method":"tools/call","params":{{"arguments":{arguments}}}}}"#)
        };
        refused(
            &called(r#"{"a":1,"a":2}"#),
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"expected each name once in an object"}}"#,
        );
        refused(
            &called("[1]"),
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"`arguments`: expected an object, got: array"}}"#,
        );
        for (key, got) in [
            ("7", "number"),
            ("null", "null"),
            ("[\"a\"]", "array"),
            ("\"\"", "an empty text"),
            ("\"a\\u001fb\"", "a text with a control character"),
        ] {
            let text = format!(
                r#"{{"id":"x","method":"tools/call","params":{{"_meta":{{"callgate/idempotencyKey":{key}}}}}}}"#
            );
            let Refusal { id, code, message } = ExactCall::from_text(text.as_bytes()).unwrap_err();
            let expected = format!(
                "`_meta`, `callgate/idempotencyKey`: expected a text of 1 to 255 characters, none of them a control character, got: {got}"
            );
            assert_eq!((id, code, message), (Value::from("x"), INVALID_PARAMS, expected));
        }
        let deep = called(&(r#"{"a":"#.repeat(500) + "1" + &"}".repeat(500)));
        let refusal = ExactCall::from_text(deep.as_bytes()).unwrap_err();
        assert_eq!((&refusal.id, refusal.code), (&Value::from("x"), PARSE_ERROR));
        let broken = ExactCall::from_text(br#"{"id":2,"method":"#).unwrap_err();
        assert_eq!((broken.id.to_string(), broken.code), ("2".to_owned(), PARSE_ERROR));
        let nothing = ExactCall::from_text(b"\xff").unwrap_err();
        assert_eq!((nothing.id, nothing.code), (Value::Null, PARSE_ERROR));
    }
}

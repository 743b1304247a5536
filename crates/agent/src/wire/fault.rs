//! Faults of a reply: another form, or the error of a provider in place of a message or the rest of a stream.

use callgate_tool::{Value, json};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ReplyFault {
    /// The fault in words, which may be the provider's.
    pub(crate) message: String,
    /// The provider's error: an object with its kind as `code`, `status` or `type`.
    pub(crate) error: Option<Value>,
}

impl From<String> for ReplyFault {
    fn from(message: String) -> Self {
        Self { message, error: None }
    }
}

impl From<&str> for ReplyFault {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// The fault that a provider says.
pub(crate) fn provider_fault(error: Value) -> ReplyFault {
    let said = error_words(&error);
    let said = if said.is_empty() { error.to_string() } else { said };
    ReplyFault { message: format!("the model failed: {said}"), error: Some(error) }
}

/// The provider's own words in an error, or in an object with one; empty if there are none.
pub(crate) fn error_words(error: &Value) -> String {
    let said = nested_error_words(error).unwrap_or_default();
    // OpenRouter has the words of the server behind it beside its own.
    let raw = error.get("metadata").and_then(|it| it.get("raw")).and_then(Value::as_str);
    let Some(raw) = raw else { return said.to_owned() };
    let parsed = Value::parse(raw).unwrap_or_default();
    let behind = nested_error_words(&parsed).unwrap_or(raw);
    if said.is_empty() { behind.to_owned() } else { format!("{said}: {behind}") }
}

fn nested_error_words(error: &Value) -> Option<&str> {
    let mut said = error;
    for _ in 0..MOST_LEVELS {
        said = match said {
            Value::Array(items) => items.first()?,
            Value::Object(members) => {
                let mut values = MEMBERS.iter().filter_map(|name| members.get(name));
                values.find(|value| !is_null_or_blank(value))?
            }
            Value::String(text) => return Some(text),
            _ => return None,
        };
    }
    None
}

/// The fault of a reply that the provider ended because it is no good, for a reason of its own.
pub(crate) fn bad_ending_fault(reason: &str) -> ReplyFault {
    let message = format!("the provider ended the reply with `{reason}`");
    ReplyFault { message, error: Some(json!({"status": NO_GOOD})) }
}

/// The kind of these faults: another reply may be better.
pub(crate) const NO_GOOD: &str = "MALFORMED_FUNCTION_CALL";

/// The error in an object, or in the last one of a list: a member of it, or the whole, as vLLM and `SGLang` write one.
pub(crate) fn take_error(holder: &mut Value) -> Option<Value> {
    let holder = match holder {
        Value::Array(list) => list.last_mut()?,
        holder => holder,
    };
    if let Some(error) = minimax_error(holder) {
        return Some(error);
    }
    let error = holder.get("error").filter(|error| !is_null_or_blank(error));
    let says_more = holder.get("message").is_some_and(Value::is_string);
    let is_title = error.is_some_and(Value::is_string) && says_more;
    let is_bare = error.is_none() && is_bare_error(holder);
    let is_marked = holder.get("object").and_then(Value::as_str) == Some("error");
    if is_marked || is_title || is_bare {
        return Some(holder.take());
    }
    error?;
    holder.get_mut("error").map(Value::take)
}

/// True for an object without a reply whose code is that of an error, as `DashScope` writes one, or that has a `detail` alone,
/// as servers that are made with `FastAPI`.
fn is_bare_error(holder: &Value) -> bool {
    if ["choices", "type"].iter().any(|name| holder.get(*name).is_some()) {
        return false;
    }
    if holder.get("detail").is_some_and(|detail| !is_null_or_blank(detail)) {
        return true;
    }
    if !holder.get("message").is_some_and(Value::is_string) {
        return false;
    }
    let code = match holder.get("code") {
        Some(Value::Number(code)) => code.to_string(),
        Some(Value::String(code)) => code.to_ascii_lowercase(),
        _ => return false,
    };
    !matches!(&*code, "" | "0" | "200" | "ok" | "success")
}

/// The error in a reply of `MiniMax`, which comes under the status of a success.
fn minimax_error(holder: &Value) -> Option<Value> {
    let response = holder.get("base_resp")?;
    let code =
        response.get("status_code").filter(|code| code.as_u64().is_some_and(|it| it != 0))?;
    let status = match code.as_u64() {
        Some(code) if MINIMAX_PASSING.contains(&code) => "UNAVAILABLE",
        Some(1026 | 1027) => "content_filter",
        _ => "",
    };
    let said = response.get("status_msg").and_then(Value::as_str).unwrap_or_default();
    Some(json!({"code": code.clone(), "message": said, "status": status}))
}

fn is_null_or_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// The members that hold words, as the servers name them; each may hold an object or a list with words in turn.
const MEMBERS: [&str; 8] =
    ["message", "msg", "detail", "error_msg", "status_msg", "Message", "errors", "error"];
/// The levels of an error down to its words.
const MOST_LEVELS: usize = 6;
/// The codes of `MiniMax` after which it may take the request: an unknown or internal error, a time limit, limits of rates.
const MINIMAX_PASSING: [u64; 7] = [1000, 1001, 1002, 1024, 1033, 1039, 1041];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(holder: Value, expected: Option<&str>) {
        let shown = holder.to_string();
        let fault = take_error(&mut { holder }).map(provider_fault);
        let said = fault.map(|fault| fault.message);
        let expected = expected.map(|said| format!("the model failed: {said}"));
        assert_eq!(said, expected, "{shown}");
    }

    #[test]
    fn an_error_has_the_words_of_its_server_at_any_place() {
        let fields =
            json!([{"loc": ["body", "tools"], "msg": "Field required", "type": "missing"}]);
        let raw = r#"{"error":{"message":"the engine is dead","code":500}}"#;
        for (holder, expected) in [
            (json!({"error": {"message": "busy"}}), "busy"),
            (json!({"error": "busy", "error_type": "overloaded"}), "busy"),
            (json!({"error": "Bad Request", "message": "no such model"}), "no such model"),
            (json!({"object": "error", "message": {"detail": fields}}), "Field required"),
            (json!({"error": {"errors": [{"message": "busy"}]}}), "busy"),
            (json!([{"error": {"code": 429, "message": "later"}}]), "later"),
            (json!({"code": "Throttling.RateQuota", "message": "later"}), "later"),
            (json!({"detail": "the prompt is too long"}), "the prompt is too long"),
            (json!({"base_resp": {"status_code": 1008, "status_msg": "no balance"}}), "no balance"),
            (
                json!({"error": {"message": "Provider returned error", "metadata": {"raw": raw}}}),
                "Provider returned error: the engine is dead",
            ),
            (json!({"error": {"code": 502, "metadata": {"raw": raw}}}), "the engine is dead"),
            (json!({"error": {"code": 7}}), r#"{"code":7}"#),
        ] {
            check(holder, Some(expected));
        }
        for holder in [
            json!({"error": null, "choices": []}),
            json!({"error": "", "choices": []}),
            json!({"base_resp": {"status_code": 0, "status_msg": ""}, "choices": []}),
            json!({"code": 0, "message": "success"}),
            json!({"code": 7, "message": "late", "choices": []}),
            json!({"type": "message_start", "message": {"code": 7}}),
            json!([]),
            json!("error"),
        ] {
            check(holder, None);
        }
    }
}

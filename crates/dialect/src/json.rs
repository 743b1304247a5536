//! callgate's own format: what `callgate tools` prints and what a result looks like on the command line and over
//! HTTP (`{"id", "tool", "status", "response"}` or `{"id", "tool", "error"}`).

use base64::{Engine, prelude::BASE64_STANDARD};
use callgate_tool::{
    Answer, Content, Cut, Effect, Fault, Object, Outcome, Pending, PlannedRequest, Preview,
    Problem, Tool, ToolResult, Truncated, Value, json,
};

/// One declaration; the annotations are MCP's hints.
pub(crate) fn declaration(tool: &Tool) -> Value {
    let mut declaration = json!({
        "name": tool.name.as_str(),
        "description": tool.description,
        "inputSchema": tool.input_schema.to_value(),
    });
    if let Some(schema) = &tool.output_schema {
        insert(&mut declaration, "outputSchema", schema.to_value());
    }
    let annotations = json!({
        "readOnlyHint": tool.effect == Effect::Read,
        "idempotentHint": tool.effect != Effect::Write,
    });
    insert(&mut declaration, "annotations", annotations);
    declaration
}

/// One result.
///
/// `response` is JSON as it is, a text as a string, `null` for no content; an image or a sound is
/// `{"mediaType", "size", "data"}` with its bytes in base64, any other file `{"mediaType", "size", "sha256"}`. Where
/// they are known, three members say more: `truncated` is `{"message", "size", "cuts": [{"at", "shown", "of", "unit"}]}`,
/// what is not shown and how to narrow; `next` holds the arguments of the next page; `handle` names the whole result,
/// which is kept for a while.
///
/// ```
/// use callgate_tool::{Answer, Content, Journal, Outcome, ToolResult};
///
/// let outcome = Outcome::Answered(Box::new(Answer::new(204, Content::Empty)));
/// let result = ToolResult { id: "1".into(), tool: "deletePet".into(), outcome, journal: Journal::default() };
/// let json = callgate_dialect::json_result(&result);
/// assert_eq!(json.to_string(), r#"{"id":"1","tool":"deletePet","status":204,"response":null}"#);
/// ```
pub fn result(result: &ToolResult) -> Value {
    let mut written = json!({"id": result.id, "tool": result.tool});
    match &result.outcome {
        Outcome::Answered(answer) => {
            if let Some(status) = answer.status {
                insert(&mut written, "status", status.into());
            }
            insert(&mut written, "response", response(answer));
            more(&mut written, answer);
        }
        Outcome::Failed(fault) => {
            if let Some(status) = fault.status {
                insert(&mut written, "status", status.into());
            }
            insert(&mut written, "error", error(fault));
        }
        Outcome::Pending(pending) => insert(&mut written, "pending", waiting(pending)),
        Outcome::Planned(preview) => insert(&mut written, "request", previewed(preview)),
    }
    written
}

fn response(answer: &Answer) -> Value {
    match &answer.content {
        Content::Empty => Value::Null,
        Content::File { media_type, size, sha256 } => {
            json!({"mediaType": media_type, "size": size, "sha256": sha256})
        }
        Content::Json(json) => json.value().clone(),
        Content::Media { media_type, data } => {
            json!({"mediaType": media_type, "size": data.len(), "data": BASE64_STANDARD.encode(data)})
        }
        Content::Text { text, .. } => Value::String(text.clone()),
    }
}

fn more(written: &mut Value, answer: &Answer) {
    if let Some(Truncated { message, size, cuts, .. }) = &answer.truncated {
        let cuts: Value = cuts.iter().map(cut).collect();
        insert(written, "truncated", json!({"message": message, "size": size, "cuts": cuts}));
    }
    if !answer.next.is_empty() {
        insert(written, "next", Value::Object(answer.next.clone()));
    }
    if let Some(handle) = &answer.handle {
        insert(written, "handle", handle.as_str().into());
    }
}

fn cut(cut: &Cut) -> Value {
    json!({"at": cut.at, "shown": cut.shown, "of": cut.of, "unit": cut.unit.as_str()})
}

fn error(fault: &Fault) -> Value {
    let mut written = json!({"code": fault.code.as_str(), "message": fault.message});
    if !fault.problems.is_empty() {
        insert(&mut written, "problems", fault.problems.iter().map(problem).collect());
    }
    insert(&mut written, "reached", fault.reached.as_str().into());
    insert(&mut written, "next", fault.next.as_str().into());
    if let Some(wait) = fault.retry_after {
        insert(&mut written, "retryAfter", wait.as_secs().into());
    }
    if let Some(body) = &fault.body {
        insert(&mut written, "body", body.clone());
    }
    written
}

fn problem(problem: &Problem) -> Value {
    let mut written = json!({"at": problem.at, "expected": problem.expected, "got": problem.got});
    if let Some(suggestion) = &problem.suggestion {
        insert(&mut written, "suggestion", suggestion.as_str().into());
    }
    written
}

fn waiting(pending: &Pending) -> Value {
    json!({"kind": pending.kind.as_str(), "id": pending.id, "request": pending.request})
}

fn previewed(preview: &Preview) -> Value {
    match preview {
        Preview::Request(request) => planned(request),
        Preview::Text(text) => json!({"text": text}),
    }
}

fn planned(request: &PlannedRequest) -> Value {
    let mut headers = Object::new();
    for (name, value) in &request.headers {
        headers.insert(name.clone(), value.as_str().into());
    }
    let body = request.body.as_deref().map_or(Value::Null, Value::from);
    json!({
        "method": request.method,
        "url": request.url,
        "headers": headers,
        "body": body,
        "curl": request.curl,
    })
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), value);
    }
}

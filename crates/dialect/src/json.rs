//! callgate's own format: what `callgate tools` prints and what a result looks like on the command line and over
//! HTTP (`{"id", "tool", "status", "response"}` or `{"id", "tool", "error"}`).

use callgate_tool::{
    Answer, Content, Effect, Fault, Outcome, PlannedRequest, Problem, Tool, ToolResult,
};
use serde_json::{Map, Value, json};

/// One declaration; the annotations are MCP's hints.
pub(crate) fn declaration(tool: &Tool) -> Value {
    let mut declaration = json!({
        "name": tool.name.as_str(),
        "description": tool.description,
        "inputSchema": tool.input_schema.as_value(),
    });
    if let Some(schema) = &tool.output_schema {
        insert(&mut declaration, "outputSchema", schema.as_value().clone());
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
/// ```
/// use callgate_tool::{Answer, Content, Journal, Outcome, ToolResult};
///
/// let outcome = Outcome::Answered(Answer { status: 204, content: Content::Empty });
/// let result = ToolResult { id: "1".into(), tool: "deletePet".into(), outcome, journal: Journal::default() };
/// let json = callgate_dialect::json_result(&result);
/// assert_eq!(json.to_string(), r#"{"id":"1","tool":"deletePet","status":204,"response":null}"#);
/// ```
pub fn result(result: &ToolResult) -> Value {
    let mut written = json!({"id": result.id, "tool": result.tool});
    match &result.outcome {
        Outcome::Answered(answer) => {
            insert(&mut written, "status", answer.status.into());
            insert(&mut written, "response", response(answer));
        }
        Outcome::Failed(fault) => {
            if let Some(status) = fault.status {
                insert(&mut written, "status", status.into());
            }
            insert(&mut written, "error", error(fault));
        }
        Outcome::Planned(request) => insert(&mut written, "request", planned(request)),
    }
    written
}

fn response(answer: &Answer) -> Value {
    match &answer.content {
        Content::Json(json) => json.value().clone(),
        Content::Text { text, .. } => Value::String(text.clone()),
        Content::Empty => Value::Null,
    }
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

fn planned(request: &PlannedRequest) -> Value {
    let mut headers = Map::new();
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

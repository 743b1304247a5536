//! `POST /v1/approvals/{id}`: makes a call that waited for a person's approval, or ends it. The session is completed
//! again, so that the approved request is compared with the one that would be sent now.

use axum::{extract::State, response::Response};
use callgate_dialect::{Dialect, ReadMessage, json_result};
use callgate_executor::{Decided, Decision};
use callgate_tool::{ToolResult, Value};
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    bodies::ResultBody,
    caller::Caller,
    calls::{Accepted, Batch, Keeper, Mode, RequestedCall, idempotency_key},
    gateway::Gateway,
    json_body::{JsonBody, typed},
    observe::trace_of,
    path_name::PathName,
    problem::{Problem, ProblemKind},
    sessions::SessionInput,
};

/// The decision of a person
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ApprovalRequest {
    #[schema(inline)]
    decision: Word,
}

/// `approve` makes the call, `reject` ends it
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    Approve,
    Reject,
}

/// Approves or rejects a waiting call, and returns its result.
#[utoipa::path(
    post, path = "/v1/approvals/{id}",
    operation_id = "decideApproval", tag = "calls",
    params(("id" = String, Path, description = "The `pending.id` of a result, of this caller alone")),
    request_body(content = ApprovalRequest, description = "The decision"),
    responses(
        (status = 200, description = "How the call ended; `pending` where another request would be sent than was approved. A call that came in the message of a model has `messages`, to append to the conversation", body = ResultBody),
        (status = 404, description = "No call of this caller waits for this approval"),
        (status = 406, description = "JSON is not accepted"),
        (status = 409, description = "The same request is still running"),
        (status = 422, description = "The idempotency key belongs to another request"),
    ),
)]
pub(crate) async fn decide(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
    headers: HeaderMap,
    JsonBody { value, bytes }: JsonBody,
) -> Result<Response, Problem> {
    Accepted::json(&headers)?;
    let key = idempotency_key(&headers)?;
    let decision = match typed::<ApprovalRequest>(value)?.decision {
        Word::Approve => Decision::Approve,
        Word::Reject => Decision::Reject,
    };
    let waiting = gateway.waiting_calls().get(caller.principal.as_ref(), &id).await?;
    let built = gateway.built();
    // A caller who may no longer use the tool does not learn that a call waits.
    let is_usable =
        |tool: &str| built.executor.find(tool).is_none_or(|entry| caller.may_use(entry.toolset()));
    let waiting = waiting.filter(|waiting| is_usable(&waiting.call.tool)).ok_or_else(absent)?;
    let keeper =
        Keeper { calls: gateway.waiting_calls().clone(), session: waiting.session.clone() };
    let session = SessionInput::of_members(waiting.session);
    let session = session.completed(gateway.sessions(), &built.sessions, &caller, &headers).await?;
    let request = [id.as_bytes(), &bytes];
    let origin = waiting.origin;
    let message = origin.as_ref().map(|(dialect, origin)| {
        (*dialect, ReadMessage::of_one(waiting.call.clone(), origin.clone()))
    });
    let asked = RequestedCall::from(waiting.call).within(waiting.timeout).keyed(waiting.key);
    let asked = match &origin {
        Some((dialect, origin)) => asked.of_message(*dialect, origin),
        None => asked,
    };
    let asked = [asked.decided(Decided::new(&*id, decision))];
    let batch = Batch {
        built,
        caller: caller.clone(),
        session,
        is_dry_run: false,
        mode: Mode::Parallel,
        execution: waiting.execution,
        trace: trace_of(&headers),
        key,
        stop: gateway.drain().stop(),
        keeper: Some(keeper),
    };
    let written = |results: &[ToolResult]| written(message.as_ref(), results);
    batch.answer(&gateway, &asked, &request, written).await
}

/// The response body with the results. If the call came in a model's message, it includes the messages to
/// append to the conversation.
fn written(message: Option<&(Dialect, ReadMessage)>, results: &[ToolResult]) -> String {
    let text = results.first().map(json_result).map(|result| result.text().to_owned());
    let text = text.unwrap_or_default();
    let (Some((dialect, read)), Some(members)) = (message, text.strip_suffix('}')) else {
        return text;
    };
    let messages = Value::Array(dialect.write(read, results));
    format!(r#"{members},"messages":{messages}}}"#)
}

fn absent() -> Problem {
    let detail = "no call of this caller has waited for this approval, or it has expired: make the call again";
    Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
}

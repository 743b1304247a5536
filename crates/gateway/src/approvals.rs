//! `POST /v1/approvals/{id}`: the decision about a call that waits. The caller that made the call makes it or ends it; the session
//! is completed again, so that the approved request is compared with the one that would be sent now. Others mark it.

mod listing;
mod others;

use axum::{extract::State, response::Response};
use callgate_dialect::{Dialect, ReadMessage, json_result};
use callgate_executor::{Decided, Decision};
use callgate_tool::{Pending, ToolResult, Value};
use serde::Deserialize;
use utoipa::ToSchema;

use self::listing::ApprovalBody;
pub(crate) use self::listing::{__path_list, __path_show, list, show};
use crate::{
    bodies::ResultBody,
    caller::Caller,
    calls::{AcceptedFormat, Batch, Mode, RequestedCall, WaitingCallKeeper, idempotency_key},
    gateway::Gateway,
    json_body::{JsonBody, typed_body},
    observe::trace_from_headers,
    path_name::PathName,
    problem::{Problem, ProblemKind},
    rights::call_rights,
    sessions::SessionInput,
    waiting_calls::WaitingCall,
};

/// The decision of a person, or the word that makes a call which somebody else has approved
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ApprovalRequest {
    #[schema(inline)]
    decision: Word,
}

/// `approve` and `reject` decide; `run` makes one's own call once somebody else has approved it
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    Approve,
    Reject,
    Run,
}

/// The result of one's own call, or the approval of a call of somebody else
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the type exists for its schema")]
enum DecisionBody<'a> {
    Result(ResultBody),
    Approval(ApprovalBody<'a>),
}

/// Approves or rejects a waiting call. The party that made the call gets its result; somebody else gets the approval, and
/// the call is made when its own caller comes back.
#[utoipa::path(
    post, path = "/v1/approvals/{id}",
    operation_id = "decideApproval", tag = "calls",
    params(("id" = String, Path, description = "The `pending.id` of a result, or the `id` of a listed approval")),
    request_body(content = ApprovalRequest, description = "The decision"),
    responses(
        (status = 200, description = "Of one's own call, how it ended; `pending` where another request would be sent than was approved, or nobody has decided yet. A call that came in the message of a model has `messages`, to append to the conversation. Of a call of somebody else, the approval", body = DecisionBody<'_>),
        (status = 403, description = "Somebody other than the caller has to decide"),
        (status = 404, description = "No call waits for this approval, or none that the caller may decide about"),
        (status = 406, description = "JSON is not accepted"),
        (status = 409, description = "Somebody else has decided, or the same request is still running"),
        (status = 422, description = "The idempotency key belongs to another request"),
    ),
)]
pub(crate) async fn decide(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
    JsonBody { headers, value, bytes }: JsonBody,
) -> Result<Response, Problem> {
    AcceptedFormat::check_accepts_json(&headers)?;
    let key = idempotency_key(&headers)?;
    let word = typed_body::<ApprovalRequest>(value)?.decision;
    let waiting = gateway.waiting_calls().get(caller.principal.as_ref(), &id).await?;
    let built = gateway.current_build();
    let rights = call_rights(&gateway, &built, &caller);
    // A caller who may no longer use the tool does not learn that a call waits.
    let is_usable =
        |tool: &str| built.executor.find(tool).is_none_or(|entry| entry.is_permitted(&rights));
    let Some(waiting) = waiting.filter(|waiting| is_usable(&waiting.call.tool)) else {
        let decision = word.decision().ok_or_else(absent_approval)?;
        return others::decide_another_principals_call(&gateway, &caller, &id, decision).await;
    };
    let session = SessionInput::from_members(waiting.session.clone());
    let session =
        session.into_session(gateway.sessions(), &built.sessions, &caller, &headers).await?;
    let request = [id.as_bytes(), &bytes];
    let origin = waiting.origin.as_ref();
    let message = origin.map(|(dialect, origin)| {
        (*dialect, ReadMessage::of_one(waiting.call.clone(), origin.clone()))
    });
    let keeper = WaitingCallKeeper {
        calls: gateway.waiting_calls().clone(),
        session: waiting.session.clone(),
    };
    let batch = Batch {
        rights,
        built,
        caller: caller.clone(),
        session,
        is_dry_run: false,
        journal: None,
        mode: Mode::Parallel,
        execution: waiting.execution,
        trace: trace_from_headers(&headers),
        key,
        stop: gateway.drain().running_calls_stop(),
        keeper: Some(keeper),
    };
    let asked = [word.requested_call(waiting, &id, &caller)];
    let written = |results: &[ToolResult]| results_and_messages_json(message.as_ref(), results);
    batch.answer_calls(&gateway, &asked, &request, written).await
}

impl Word {
    fn decision(self) -> Option<Decision> {
        match self {
            Self::Approve => Some(Decision::Approve),
            Self::Reject => Some(Decision::Reject),
            Self::Run => None,
        }
    }

    fn requested_call(self, waiting: WaitingCall, id: &str, caller: &Caller) -> RequestedCall {
        // With the credential of a sign-in, the call is not the one that the key was given to.
        let key = waiting.key.filter(|_| !id.starts_with(Pending::SIGN_IN));
        let asked = RequestedCall::from(waiting.call)
            .with_timeout(waiting.timeout)
            .with_idempotency_key(key);
        let asked = match &waiting.origin {
            Some((dialect, origin)) => asked.with_origin(*dialect, origin),
            None => asked,
        };
        let Some(decision) = self.decision() else { return asked.with_approval_id(id) };
        let decided = Decided::new(id, decision);
        asked.with_decision(match &caller.principal {
            Some(principal) => decided.by(principal),
            None => decided,
        })
    }
}

/// The response body with the results, and the messages to append if the calls came in a model's message.
fn results_and_messages_json(
    message: Option<&(Dialect, ReadMessage)>,
    results: &[ToolResult],
) -> String {
    let text = results.first().map(json_result).map(|result| result.text().to_owned());
    let text = text.unwrap_or_default();
    let (Some((dialect, read)), Some(members)) = (message, text.strip_suffix('}')) else {
        return text;
    };
    let messages = Value::Array(dialect.write(read, results));
    format!(r#"{members},"messages":{messages}}}"#)
}

fn absent_approval() -> Problem {
    let detail = "no call that this caller made or may decide about waits for this approval, or it has expired: make the call again";
    Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
}

//! Has a person approve a call over MCP: since 2026-07-28 by a result that asks for input and by the sealed state that comes back
//! with the answer, before that by a request of the server's own. What is approved, and whether it holds, is judged where calls
//! are made.

use std::time::{Duration, SystemTime};

use callgate_call::wording::approval as wording;
use callgate_executor::{Call, Decision, Executor};
use callgate_policy::{APPROVAL_TIME, approval_text};
use callgate_tool::{Outcome, Pending, PendingKind, ToolResult};
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientResult, ElicitRequest,
        ElicitationCapability, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
        ServerRequest,
    },
    service::RequestContext,
};
use serde_json::{Value as Json, json};

use crate::state::{opened, place, sealed};

/// The outcome of a call.
pub(crate) enum Ran {
    /// The client has to ask a person, and to call again with the answer.
    Asks(InputRequiredResult),
    /// A result.
    Ended(ToolResult),
}

/// The way in which the client of a request can ask a person.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    /// By a request of the server (revisions before 2026-07-28).
    Elicitation,
    /// By the result of the call.
    InputRequired,
    /// In none, and there is no way to say so but a result.
    Nobody,
    /// It has not declared that it can.
    Undeclared,
}

/// Runs a call, and has it approved where it has to be. `fresh` makes the call anew: a person may have taken their time.
pub(crate) async fn ran<'a>(
    executor: &Executor,
    fresh: impl Fn() -> Call<'a> + Send + Sync,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Ran, ErrorData> {
    let mut call = fresh();
    let place = place(&call);
    if let Some(state) = &request.request_state {
        let approval = opened(state, &place).ok_or_else(foreign_state)?;
        let responses = request.input_responses.as_ref();
        let answer = responses.and_then(|responses| responses.get(QUESTION)).and_then(decision);
        // Without an answer the person is asked anew.
        if let Some(decision) = answer {
            call = call.with_decision(approval, decision);
        }
    }
    let mut result = Box::pin(executor.run(call)).await;
    // Asked again where another request would be sent than was approved.
    for _ in 0..MOST_TIMES {
        let Some(pending) = waiting(&result.outcome) else { break };
        let way = Way::of(context);
        let decision = match way {
            Way::InputRequired => return asks(pending, sealed(&pending.id, &place)).map(Ran::Asks),
            Way::Undeclared => return Err(undeclared()),
            Way::Elicitation => elicited(pending, context).await,
            Way::Nobody => None,
        };
        let Some(decision) = decision else {
            result.outcome = Outcome::Failed(wording::nobody_asks());
            break;
        };
        let call = fresh().with_decision(&*pending.id, decision);
        result = Box::pin(executor.run(call)).await;
    }
    Ok(Ran::Ended(result))
}

impl Way {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let declared = context.client_capabilities().and_then(|known| known.elicitation);
        // Neither word is the form that clients have always had.
        let has_forms = declared.is_some_and(|known| known.form.is_some() || known.url.is_none());
        let version = context.protocol_version();
        let is_modern = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match (is_modern, has_forms) {
            (true, true) => Self::InputRequired,
            (true, false) => Self::Undeclared,
            // A request of the server needs a connection that it can be sent over.
            (false, true) if context.extensions.get::<Parts>().is_none() => Self::Elicitation,
            (false, _) => Self::Nobody,
        }
    }
}

fn waiting(outcome: &Outcome) -> Option<&Pending> {
    let Outcome::Pending(pending) = outcome else { return None };
    Some(&**pending).filter(|pending| pending.kind == PendingKind::Approval)
}

/// The question that a person is asked, with the request that would be sent.
fn question(pending: &Pending) -> Option<ElicitRequest> {
    let message = format!("Send this request?\n\n{}", approval_text(&pending.request));
    let ok = json!({"type": "boolean", "title": "Send", "description": "Whether the request may be sent"});
    let schema = json!({"type": "object", "properties": {(ANSWER): ok}, "required": [ANSWER]});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    serde_json::from_value(json!({"method": "elicitation/create", "params": params})).ok()
}

fn asks(pending: &Pending, state: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    let unasked =
        || ErrorData::internal_error("the approval of a person cannot be asked for", None);
    let (question, state) = question(pending).zip(state).ok_or_else(unasked)?;
    let requests =
        InputRequests::from_iter([(QUESTION.to_owned(), InputRequest::Elicitation(question))]);
    Ok(InputRequiredResult::new(Some(requests), Some(state)))
}

/// The answer of a person whom the client asks now; nothing where they say nothing in time.
async fn elicited(pending: &Pending, context: &RequestContext<RoleServer>) -> Option<Decision> {
    let request = ServerRequest::ElicitRequest(question(pending)?);
    let left = pending.expires.and_then(|at| at.duration_since(SystemTime::now()).ok());
    let left: Duration = left.unwrap_or(APPROVAL_TIME);
    let answer = tokio::time::timeout(left, context.peer.send_request(request)).await;
    let ClientResult::ElicitResult(answer) = answer.ok()?.ok()? else { return None };
    decision(&serde_json::to_value(answer).ok()?)
}

/// The decision that an answer to the question is; nothing where it is none.
fn decision(answer: &Json) -> Option<Decision> {
    match answer.get("action")?.as_str()? {
        "accept" => {
            let may = answer.get("content")?.get(ANSWER)?.as_bool()?;
            Some(if may { Decision::Approve } else { Decision::Reject })
        }
        "cancel" | "decline" => Some(Decision::Reject),
        _ => None,
    }
}

fn foreign_state() -> ErrorData {
    let message =
        "`requestState` is none that this call was answered with: make the call again without it";
    ErrorData::invalid_params(message, None)
}

fn undeclared() -> ErrorData {
    let mut required = ClientCapabilities::default();
    required.elicitation = Some(ElicitationCapability::default());
    let mut error = ErrorData::missing_required_client_capability(required);
    error.message =
        "a person has to approve this call, and the client has not declared `elicitation`".into();
    error
}

/// The name of the question.
const QUESTION: &str = "approval";
/// The name of the answer.
const ANSWER: &str = "ok";
/// As often as a request may change while somebody reads it.
const MOST_TIMES: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json as value;

    use super::*;

    #[test]
    fn only_a_clear_answer_is_a_decision() {
        let rows = [
            (json!({"action": "accept", "content": {"ok": true}}), Some(Decision::Approve)),
            (
                json!({"action": "accept", "content": {"ok": true, "more": 1}}),
                Some(Decision::Approve),
            ),
            (json!({"action": "accept", "content": {"ok": false}}), Some(Decision::Reject)),
            (json!({"action": "decline"}), Some(Decision::Reject)),
            (json!({"action": "cancel"}), Some(Decision::Reject)),
            (json!({"action": "accept"}), None),
            (json!({"action": "accept", "content": {"ok": "true"}}), None),
            (json!({"content": {"ok": true}}), None),
            (json!(12345), None),
        ];
        for (answer, expected) in rows {
            assert_eq!(decision(&answer), expected, "{answer}");
        }
    }

    #[test]
    fn the_question_shows_the_request() {
        let request = value!({"method": "DELETE", "url": "https://api.example.com/pets/7"});
        let pending = Pending::new(PendingKind::Approval, "approval_1", request);
        let asked = asks(&pending, Some("state".to_owned())).unwrap();
        let asked = serde_json::to_value(asked).unwrap();
        assert_eq!(asked["resultType"], "input_required");
        let params = &asked["inputRequests"]["approval"]["params"];
        let message = params["message"].as_str().unwrap();
        assert!(message.contains("DELETE https://api.example.com/pets/7"), "{asked}");
        assert_eq!(params["requestedSchema"]["required"], json!(["ok"]));
    }
}

//! Asks a person to approve a call over MCP: since 2026-07-28 by a result that asks for input and a sealed state that comes
//! back with the answer, before that by a request of the server. The approval middleware judges the decision.

use std::time::{Duration, SystemTime};

use callgate_executor::Decision;
use callgate_policy::{APPROVAL_TIME, approval_text};
use callgate_tool::{Pending, Value};
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{ClientResult, ElicitRequest, InputRequest, InputRequiredResult, ServerRequest},
};
use serde_json::json;

fn approval_question(pending: &Pending) -> Option<ElicitRequest> {
    let is_sign_in = pending.id.starts_with(Pending::SIGN_IN);
    let question = if is_sign_in { "Make this call again?" } else { "Send this request?" };
    let message = format!("{question}\n\n{}", approval_text(&pending.request));
    let ok = json!({"type": "boolean", "title": "Send", "description": "Whether the request may be sent"});
    let schema = json!({"type": "object", "properties": {(ANSWER): ok}, "required": [ANSWER]});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    serde_json::from_value(json!({"method": "elicitation/create", "params": params})).ok()
}

/// The result that makes the client ask a person, with the state that comes back.
pub(crate) fn input_required_result(
    pending: &Pending,
    state: Option<String>,
) -> Result<InputRequiredResult, ErrorData> {
    let unasked =
        || ErrorData::internal_error("the approval of a person cannot be asked for", None);
    let (question, state) = approval_question(pending).zip(state).ok_or_else(unasked)?;
    let requests = [(QUESTION.to_owned(), InputRequest::Elicitation(question))];
    Ok(InputRequiredResult::new(Some(requests.into()), Some(state)))
}

/// The answer of a person whom the client asks now; `None` if it does not come in time.
pub(crate) async fn elicit_decision(
    pending: &Pending,
    peer: &Peer<RoleServer>,
) -> Option<Decision> {
    let request = ServerRequest::ElicitRequest(approval_question(pending)?);
    let left = pending.expires.and_then(|at| at.duration_since(SystemTime::now()).ok());
    let left: Duration = left.unwrap_or(APPROVAL_TIME);
    let answer = tokio::time::timeout(left, peer.send_request(request)).await;
    let ClientResult::ElicitResult(answer) = answer.ok()?.ok()? else { return None };
    decision_of_answer(&Value::from_slice(&serde_json::to_vec(&answer).ok()?).ok()?)
}

pub(crate) fn decision_of_answer(answer: &Value) -> Option<Decision> {
    match answer.get("action")?.as_str()? {
        "accept" => {
            let may = answer.get("content")?.get(ANSWER)?.as_bool()?;
            Some(if may { Decision::Approve } else { Decision::Reject })
        }
        "cancel" | "decline" => Some(Decision::Reject),
        _ => None,
    }
}

pub(crate) const QUESTION: &str = "approval";
const ANSWER: &str = "ok";

#[cfg(test)]
mod tests {
    use callgate_tool::{PendingKind, json as value};

    use super::*;

    #[test]
    fn only_an_explicit_reply_to_an_approval_is_a_decision() {
        let rows = [
            (value!({"action": "accept", "content": {"ok": true}}), Some(Decision::Approve)),
            (
                value!({"action": "accept", "content": {"ok": true, "more": 1}}),
                Some(Decision::Approve),
            ),
            (value!({"action": "accept", "content": {"ok": false}}), Some(Decision::Reject)),
            (value!({"action": "decline"}), Some(Decision::Reject)),
            (value!({"action": "cancel"}), Some(Decision::Reject)),
            (value!({"action": "accept"}), None),
            (value!({"action": "accept", "content": {"ok": "true"}}), None),
            (value!({"content": {"ok": true}}), None),
            (value!(12345), None),
        ];
        for (answer, expected) in rows {
            assert_eq!(decision_of_answer(&answer), expected, "{answer}");
        }
    }

    #[test]
    fn the_question_for_an_approval_shows_the_request() {
        let request = value!({"method": "DELETE", "url": "https://api.example.com/pets/7"});
        let pending = Pending::new(PendingKind::Approval, "approval_1", request);
        let asked = input_required_result(&pending, Some("state".to_owned())).unwrap();
        let asked = serde_json::to_value(asked).unwrap();
        assert_eq!(asked["resultType"], "input_required");
        let params = &asked["inputRequests"]["approval"]["params"];
        let message = params["message"].as_str().unwrap();
        assert!(message.contains("DELETE https://api.example.com/pets/7"), "{asked}");
        assert_eq!(params["requestedSchema"]["required"], json!(["ok"]));
        let request = value!({"text": "the user has to sign in for `mail-send`", "program": {}});
        let pending = Pending::new(PendingKind::Approval, "sign_in_1", request);
        let asked = input_required_result(&pending, Some("state".to_owned())).unwrap();
        let asked = serde_json::to_value(asked).unwrap();
        let message = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
        let expected = "Make this call again?\n\nthe user has to sign in for `mail-send`";
        assert!(message.starts_with(expected), "{message}");
    }
}

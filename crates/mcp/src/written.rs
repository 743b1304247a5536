//! Results as MCP writes them: the content blocks of the dialect, and the same as structured content, each of them complete,
//! since a client forwards one or the other.

use callgate_tool::{Content, Outcome, ToolResult, Value};
use rmcp::model::{CallToolResult, ResultType};
use serde_json::{Map, Value as Json};

/// A result: `blocks` is what the dialect made of it.
pub(crate) fn written(result: Option<&ToolResult>, blocks: &Value) -> Option<CallToolResult> {
    let mut written: CallToolResult = serde_json::from_str(&blocks.to_string()).ok()?;
    // Revisions since 2026-07-28 want it; for those before them the library takes it away again.
    written.result_type = Some(ResultType::COMPLETE);
    written.structured_content = result.and_then(structured);
    Some(written)
}

/// The value that a call answered with, as an object (revisions before 2026-07-28 take no other); a failure with its code and
/// problems. None where the answer is text, bytes or nothing.
fn structured(result: &ToolResult) -> Option<Json> {
    let text = serde_json::to_string(&result.outcome).ok()?;
    let Ok(Json::Object(mut whole)) = serde_json::from_str(&text) else { return None };
    let Outcome::Answered(answer) = &result.outcome else { return Some(Json::Object(whole)) };
    if !matches!(answer.content, Content::Json(_)) {
        return None;
    }
    whole.remove("status");
    let is_bare = whole.len() == 1;
    match whole.remove("response") {
        Some(Json::Object(response)) if is_bare => Some(Json::Object(response)),
        Some(response) => {
            let mut wrapped = Map::from_iter([("result".to_owned(), response)]);
            wrapped.extend(whole);
            Some(Json::Object(wrapped))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Answer, Fault, FaultCode, Journal, Next, json};

    use super::*;

    #[track_caller]
    fn check(outcome: Outcome, expected: Option<&Json>) {
        let (id, tool, journal) = ("1".to_owned(), "pet".to_owned(), Journal::default());
        let result = ToolResult { id, tool, outcome, journal };
        assert_eq!(structured(&result).as_ref(), expected);
    }

    fn answered(value: Value) -> Outcome {
        Outcome::Answered(Box::new(Answer::new(200, Content::Json(value.into()))))
    }

    #[test]
    fn an_object_stands_as_it_is_and_other_values_under_result() {
        check(
            answered(json!({"id": 9_007_199_254_740_993_u64})),
            Some(&serde_json::json!({"id": 9_007_199_254_740_993_u64})),
        );
        check(answered(json!([1, 2])), Some(&serde_json::json!({"result": [1, 2]})));
        check(answered(json!("Rex")), Some(&serde_json::json!({"result": "Rex"})));
    }

    #[test]
    fn an_answer_without_json_has_no_structured_content() {
        check(Outcome::Answered(Box::new(Answer::new(204, Content::Empty))), None);
    }

    #[test]
    fn a_failure_is_complete_in_structured_content_too() {
        let fault = Fault::new(FaultCode::Refused, "not today", Next::GiveUp);
        let expected = serde_json::json!({"error": {
            "code": "refused", "message": "not today", "reached": "no", "next": "give_up",
        }});
        check(Outcome::Failed(Box::new(fault)), Some(&expected));
    }
}

//! Results as MCP writes them: the content blocks of the dialect and structured content. Each is complete, because a client
//! forwards one or the other.

use callgate_tool::{Content, Object, Outcome, ToolResult, Value};

/// A result; `blocks` are the content blocks that the dialect made.
pub(crate) fn tool_result(result: Option<&ToolResult>, blocks: Value) -> Value {
    let Value::Object(mut members) = blocks else { return blocks };
    if let Some(structured) = result.and_then(structured_content) {
        members.insert("structuredContent", structured);
    }
    // Revisions since 2026-07-28 need the member; the server removes it for earlier ones.
    members.insert("resultType", "complete".into());
    members.into()
}

/// The value of a result as an object (revisions before 2026-07-28 accept no other); a failure with its code and problems.
/// `None` if the answer is text, bytes or empty.
fn structured_content(result: &ToolResult) -> Option<Value> {
    let text = serde_json::to_string(&result.outcome).ok()?;
    let Ok(Value::Object(mut whole)) = Value::parse(&text) else { return None };
    if let Some(notes) = result.notes() {
        whole.insert("notes", notes.into_iter().map(Value::from).collect());
    }
    let Outcome::Answered(answer) = &result.outcome else { return Some(whole.into()) };
    if !matches!(answer.content, Content::Json(_)) {
        return None;
    }
    whole.remove("status");
    let is_bare = whole.len() == 1;
    match whole.remove("response")? {
        Value::Object(response) if is_bare => Some(response.into()),
        response => {
            let mut wrapped = Object::from_iter([("result".to_owned(), response)]);
            wrapped.extend(whole);
            Some(wrapped.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Answer, Event, Fault, FaultCode, Journal, Next, json};

    use super::*;

    #[track_caller]
    fn check(outcome: Outcome, expected: Option<&Value>) {
        let (id, tool, journal) = ("1".to_owned(), "pet".to_owned(), Journal::default());
        let result = ToolResult { id, tool, outcome, journal };
        assert_eq!(structured_content(&result).as_ref(), expected);
    }

    fn answered(value: Value) -> Outcome {
        Outcome::Answered(Box::new(Answer::new(200, Content::Json(value.into()))))
    }

    #[test]
    fn an_object_is_structured_content_itself_and_other_values_are_its_result() {
        check(
            answered(json!({"id": 9_007_199_254_740_993_u64})),
            Some(&json!({"id": 9_007_199_254_740_993_u64})),
        );
        check(answered(json!([1, 2])), Some(&json!({"result": [1, 2]})));
        check(answered(json!("Rex")), Some(&json!({"result": "Rex"})));
    }

    #[test]
    fn structured_content_has_the_notes_of_the_result() {
        let mut journal = Journal::default();
        journal.note(Event::EmptyOmitted { argument: "tags".to_owned() });
        let (id, tool, outcome) = ("1".to_owned(), "pet".to_owned(), answered(json!({"id": 7})));
        let result = ToolResult { id, tool, outcome, journal };
        let expected = json!({"result": {"id": 7}, "notes": ["`tags` is empty and was left out"]});
        assert_eq!(structured_content(&result), Some(expected));
    }

    #[test]
    fn an_answer_without_json_has_no_structured_content() {
        check(Outcome::Answered(Box::new(Answer::new(204, Content::Empty))), None);
    }

    #[test]
    fn structured_content_has_all_members_of_a_failure() {
        let fault = Fault::new(FaultCode::Refused, "not today", Next::GiveUp);
        let expected = json!({"error": {
            "code": "refused", "message": "not today", "reached": "no", "next": "give_up",
        }});
        check(Outcome::Failed(Box::new(fault)), Some(&expected));
    }
}

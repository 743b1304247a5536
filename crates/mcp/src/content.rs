//! Results as MCP writes them: the content blocks of the dialect and structured content. Each is complete, because a client
//! forwards one or the other.

use callgate_tool::{Content, Object, Outcome, ToolResult, Value};

/// A result: its members but for the structured content, and that as a text of JSON, which is passed on as the service wrote it.
pub(crate) struct CallResult {
    members: Object,
    structured: Option<String>,
}

impl CallResult {
    /// Adds the structured content of a result to the blocks that the dialect made.
    pub(crate) fn new(result: Option<&ToolResult>, blocks: Value) -> Self {
        let members = if let Value::Object(members) = blocks { members } else { Object::new() };
        Self { members, structured: result.and_then(structured_content) }
    }

    /// The text of the result. Revisions since 2026-07-28 need the member `resultType`; earlier ones do not know it.
    pub(crate) fn into_text(self, has_type: bool) -> String {
        let Self { mut members, structured } = self;
        if has_type {
            members.insert("resultType", "complete".into());
        }
        let mut text = Value::Object(members).to_string();
        if let Some(structured) = structured {
            // A result has members: its content.
            text.pop();
            text.push_str(r#","structuredContent":"#);
            text.push_str(&structured);
            text.push('}');
        }
        text
    }
}

/// A result that is written whole.
impl From<Value> for CallResult {
    fn from(result: Value) -> Self {
        Self::new(None, result)
    }
}

/// The value of a result as an object (revisions before 2026-07-28 accept no other); a failure with its code and problems.
/// `None` if the answer is text, bytes or empty.
fn structured_content(result: &ToolResult) -> Option<String> {
    if let Outcome::Answered(answer) = &result.outcome
        && let Some(json) = answer.bare_json().filter(|_| result.notes().is_none())
    {
        let text = json.text().trim_ascii();
        let is_object = text.starts_with('{');
        return Some(if is_object { text.to_owned() } else { format!(r#"{{"result":{text}}}"#) });
    }
    whole_content(result).map(|whole| whole.to_string())
}

/// The structured content of a result that has more than JSON.
fn whole_content(result: &ToolResult) -> Option<Value> {
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
        let structured = structured_content(&result).map(|text| Value::parse(&text).unwrap());
        assert_eq!(structured.as_ref(), expected);
        assert_eq!(whole_content(&result).as_ref(), expected);
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
        assert_eq!(structured_content(&result), Some(expected.to_string()));
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

//! Results as MCP writes them: the content blocks of the dialect and structured content. Each is complete, because a client
//! forwards one or the other.

use callgate_tool::{Content, Number, Object, Outcome, ToolResult, Value};
use rmcp::model::{CallToolResult, ResultType};

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
            text.pop();
            text.push_str(if text.len() > 1 { "," } else { "" });
            text.push_str(r#""structuredContent":"#);
            text.push_str(&structured);
            text.push('}');
        }
        text
    }
}

/// A result for the library, whose numbers are whole ones of 64 bits and floating-point ones: others are texts of their digits.
impl TryFrom<CallResult> for CallToolResult {
    type Error = serde_json::Error;

    fn try_from(CallResult { members, structured }: CallResult) -> serde_json::Result<Self> {
        let mut result: Self = serde_json::from_str(&Value::Object(members).to_string())?;
        // The library removes the member for revisions that do not know it.
        result.result_type = Some(ResultType::COMPLETE);
        result.structured_content =
            structured.map(|text| serde_json_value(Value::parse(&text).unwrap_or_default()));
        Ok(result)
    }
}

fn serde_json_value(value: Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(is_true) => is_true.into(),
        Value::Number(number) => serde_number_or_text(&number),
        Value::String(text) => text.into(),
        Value::Array(items) => items.into_iter().map(serde_json_value).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, serde_json_value(value))).collect()
        }
    }
}

fn serde_number_or_text(number: &Number) -> serde_json::Value {
    if let Some(whole) = number.as_i64() {
        return whole.into();
    }
    if let Some(whole) = number.as_u64() {
        return whole.into();
    }
    let nearest = number.as_f64().filter(|float| {
        Number::from_f64(*float).is_some_and(|nearest| nearest.is_equal_to(number))
    });
    nearest.map_or_else(|| number.to_string().into(), Into::into)
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
        && let Some(json) = answer.json_if_nothing_else().filter(|_| result.notes().is_none())
    {
        let text = json.text().trim_ascii();
        let is_object = text.starts_with('{');
        return Some(if is_object { text.to_owned() } else { format!(r#"{{"result":{text}}}"#) });
    }
    structured_outcome(result).map(|whole| whole.to_string())
}

/// The structured content of a result that has more than JSON.
fn structured_outcome(result: &ToolResult) -> Option<Value> {
    let text = serde_json::to_string(&result.outcome).ok()?;
    let Ok(Value::Object(mut whole)) = Value::parse(&text) else { return None };
    whole.insert_if_some("notes", result.notes());
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
        assert_eq!(structured_outcome(&result).as_ref(), expected);
    }

    fn answered(value: Value) -> Outcome {
        Outcome::Answered(Box::new(Answer::new(200, Content::Json(value.into()))))
    }

    #[test]
    fn no_number_of_structured_content_is_changed() {
        for (text, expected) in [
            (
                r#"{"price":12.5,"big":9007199254740993}"#,
                r#"{"big":9007199254740993,"price":12.5}"#,
            ),
            (r#"{"big":12345678901234567890123}"#, r#"{"big":"12345678901234567890123"}"#),
            (r#"{"fraction":0.10000000000000000555}"#, r#"{"fraction":"0.10000000000000000555"}"#),
            (r#"{"all":[{"huge":1e400}]}"#, r#"{"all":[{"huge":"1e400"}]}"#),
        ] {
            let members = Object::from([("content", json!([{"type": "text", "text": text}]))]);
            let result = CallResult { members, structured: Some(text.to_owned()) };
            let result = CallToolResult::try_from(result).unwrap();
            let structured = result.structured_content.unwrap();
            assert_eq!(structured, serde_json::from_str::<serde_json::Value>(expected).unwrap());
            assert_eq!(result.content[0].as_text().unwrap().text, text);
        }
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

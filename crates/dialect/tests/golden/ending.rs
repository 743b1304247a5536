//! Endings of calls as golden files write them.

use callgate_dialect::ReadMessage;
use callgate_tool::{
    Answer, Content, Fault, FaultCode, Journal, Json, Next, Outcome, Part, Problem, Reached,
    ToolCall, ToolResult, Value,
};

/// The results of the calls to make.
pub(crate) fn results(read: &ReadMessage, endings: &Value) -> Vec<ToolResult> {
    let endings = endings.as_array().unwrap();
    let calls = read.to_make();
    assert_eq!(calls.len(), endings.len());
    calls.into_iter().zip(endings).map(|(call, ending)| result(call, ending)).collect()
}

/// The code of a call that failed.
pub(crate) fn code(result: &ToolResult) -> &'static str {
    match &result.outcome {
        Outcome::Failed(fault) => fault.code.as_str(),
        _ => "none",
    }
}

/// `[status, media type, content]`, or one of the endings that have a name.
fn result(call: &ToolCall, ending: &Value) -> ToolResult {
    let outcome = match (ending.as_str(), ending.as_array()) {
        (Some("conflict"), _) => conflict().into(),
        (Some("wrong type"), _) => wrong_type().into(),
        (_, Some(parts)) => answer(parts).into(),
        _ => panic!("not an ending: {ending}"),
    };
    let (id, tool) = (call.id.clone(), call.tool.clone());
    ToolResult { id, tool, outcome, journal: Journal::default() }
}

fn answer(parts: &[Value]) -> Answer {
    let [status, media_type, content, headers @ ..] = parts else { panic!("not an answer") };
    let content = content_of(media_type, content);
    let status = u16::try_from(status.as_u64().unwrap()).unwrap();
    let answer = Answer::new(status, content);
    headers.iter().fold(answer, |answer, header| {
        answer.with_header(header[0].as_str().unwrap(), header[1].as_str().unwrap())
    })
}

/// Parts are `[media type, content, name]`.
fn content_of(media_type: &Value, content: &Value) -> Content {
    let media_type = media_type.as_str().unwrap();
    let text = || content.as_str().unwrap().to_owned();
    match media_type.split_once('/').unwrap_or_default() {
        ("application", "json") => Content::Json(Json::parse(&content.to_string()).unwrap()),
        ("image" | "audio", _) => {
            Content::Media { media_type: media_type.to_owned(), data: text().into_bytes().into() }
        }
        ("multipart", _) => {
            let part = |part: &Value| {
                let mut read = Part::new(content_of(&part[0], &part[1]));
                read.name = part[2].as_str().map(str::to_owned);
                read
            };
            Content::Parts(content.as_array().unwrap().iter().map(part).collect())
        }
        ("text", _) => Content::Text { text: text(), media_type: media_type.to_owned() },
        _ => Content::Empty,
    }
}

fn conflict() -> Fault {
    let message =
        "the service answered with status 409 (Conflict); correct the arguments and call again";
    let mut fault = Fault::new(FaultCode::ServiceError, message, Next::CorrectArguments)
        .with_reached(Reached::Yes);
    fault.status = Some(409);
    fault.body = Some(callgate_tool::json!({"detail": "name already used"}));
    fault
}

fn wrong_type() -> Fault {
    let message = "`petId`: expected an integer, got a string: correct and call again";
    let problem = Problem {
        at: "petId".to_owned(),
        expected: "an integer".to_owned(),
        got: "a string".to_owned(),
        suggestion: None,
    };
    Fault::new(FaultCode::InvalidArguments, message, Next::CorrectArguments)
        .with_problems(vec![problem])
}

//! A result as a person reads it: the answer on standard output, everything about it on standard error.

use std::fmt::Write as _;

use callgate::{Answer, Content, Event, Fault, Next, Outcome, PlannedRequest, Preview, ToolResult};

use crate::output;

/// Shows a result.
pub(super) fn result(result: &ToolResult) {
    for event in result.journal.events().iter().filter(|event| is_news(event)) {
        output::talk(&format!("note: {event}\n"));
    }
    match &result.outcome {
        Outcome::Answered(answer) => answered(answer),
        Outcome::Failed(fault) => output::talk(&failed(fault)),
        Outcome::Pending(pending) => {
            let (kind, id) = (pending.kind.as_str(), &pending.id);
            output::talk(&format!("the call waits: {kind} `{id}`\n"));
            output::result(&format!("{:#}\n", pending.request));
        }
        Outcome::Planned(preview) => match &**preview {
            Preview::Request(request) => output::result(&planned(request)),
            Preview::Text(text) => output::result(&format!("{text}\n")),
        },
    }
}

/// Whether an event is news to whoever typed the call: that text became a number, and that an answer came, are none.
fn is_news(event: &Event) -> bool {
    let is_answer = matches!(event, Event::Attempt { status: Some(_), .. });
    !is_answer && !matches!(event, Event::Converted { .. })
}

fn answered(answer: &Answer) {
    match &answer.content {
        Content::Empty => match answer.status {
            Some(status) => output::talk(&format!("{status}: no content\n")),
            None => output::talk("no content\n"),
        },
        Content::File { media_type, size, sha256 } => {
            output::result(&format!("{size} bytes of `{media_type}`, SHA-256 {sha256}\n"));
        }
        Content::Json(json) => output::result(&format!("{:#}\n", json.value())),
        Content::Media { media_type, data } => {
            output::result(&format!("{} bytes of `{media_type}`\n", data.len()));
        }
        Content::Text { text, .. } => output::result(&format!("{}\n", text.trim_end())),
    }
    for (name, value) in &answer.headers {
        output::talk(&format!("{name}: {value}\n"));
    }
    if let Some(truncated) = &answer.truncated {
        output::talk(&format!("note: {}\n", truncated.message));
    }
    if !answer.next.is_empty() {
        let next = callgate_tool::Value::Object(answer.next.clone());
        output::talk(&format!("note: arguments of the next page: {next}\n"));
    }
}

fn failed(fault: &Fault) -> String {
    let mut text = format!("error[{}]: {}\n", fault.code.as_str(), fault.message);
    for problem in &fault.problems {
        let _infallible = writeln!(
            text,
            "  `{}`: expected {}, got {}",
            problem.at, problem.expected, problem.got
        );
        if let Some(suggestion) = &problem.suggestion {
            let _infallible = writeln!(text, "    help: {suggestion}");
        }
    }
    if let Some(body) = &fault.body {
        let _infallible = writeln!(text, "the service said: {body:#}");
    }
    let _infallible = writeln!(text, "help: {}", advice(fault.next));
    text
}

fn advice(next: Next) -> &'static str {
    match next {
        Next::AskUser => "ask whoever knows before calling again",
        Next::CorrectArguments => {
            "correct the arguments and call again; `callgate tools FILE --json` shows what each takes"
        }
        Next::GiveUp => "the same call will fail again",
        Next::TryLater => "call again later",
    }
}

fn planned(request: &PlannedRequest) -> String {
    let mut text = format!("{} {}\n", request.method, request.url);
    for (name, value) in &request.headers {
        let _infallible = writeln!(text, "{name}: {value}");
    }
    if let Some(body) = &request.body {
        let _infallible = writeln!(text, "\n{body}");
    }
    let _infallible = writeln!(text, "\n{}", request.curl);
    text
}

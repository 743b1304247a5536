//! A result as a person reads it: the answer on standard output, everything about it on standard error.

use std::fmt::Write as _;

use callgate::{Content, Fault, Next, Outcome, PlannedRequest, ToolResult};

use crate::output;

/// Shows a result.
pub(super) fn result(result: &ToolResult) {
    for event in result.journal.events() {
        output::talk(&format!("note: {event}\n"));
    }
    match &result.outcome {
        Outcome::Answered(answer) => match &answer.content {
            Content::Empty => output::talk(&format!("{}: no content\n", answer.status)),
            Content::Json(json) => output::result(&format!("{:#}\n", json.value())),
            Content::Text { text, .. } => output::result(&format!("{}\n", text.trim_end())),
        },
        Outcome::Failed(fault) => output::talk(&failed(fault)),
        Outcome::Planned(request) => output::result(&planned(request)),
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

//! An executor of a description that is given as text, built from a configuration as a user would write it, and calls of
//! it.

use crate::prelude::*;

/// An executor of the description against a server, with more settings in YAML.
pub(crate) fn executor(description: &str, server: &str, settings: &str) -> Executor {
    let built = toolset(description, &format!("server: {server}\n{settings}"));
    built.unwrap().executor
}

/// A call of a tool with arguments.
pub(crate) fn asked(tool: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("not an object: {arguments}") };
    let arguments: Arguments = arguments;
    ToolCall::new("1", tool, arguments)
}

/// Runs a call without a session.
pub(crate) async fn call(executor: &Executor, tool: &str, arguments: Value) -> ToolResult {
    executor.call(&asked(tool, arguments), &Session::default()).await
}

/// The JSON of an answer.
#[track_caller]
pub(crate) fn json(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Answered(answer) => match answer.content {
            Content::Json(json) => json.into_value(),
            other => panic!("no JSON: {other:?}"),
        },
        other => panic!("no answer: {other:?}"),
    }
}

/// The fault of a call that failed.
#[track_caller]
pub(crate) fn fault(outcome: Outcome) -> Fault {
    match outcome {
        Outcome::Failed(fault) => *fault,
        other => panic!("no fault: {other:?}"),
    }
}

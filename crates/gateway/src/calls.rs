//! `POST /v1/calls`: runs the calls of one request and answers their results in the order of the calls.

mod envelope;

use axum::extract::State;
use callgate_executor::{Call, Executor};
use callgate_tool::ToolResult;
use futures_util::{StreamExt, stream};

use self::envelope::{Asked, Envelope, Mode};
use crate::{
    answer::JsonText, caller::Caller, gateway::Gateway, json_body::JsonBody, problem::Problem,
};

/// Answers the results of all calls.
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    JsonBody(body): JsonBody,
) -> Result<JsonText, Problem> {
    let envelope = Envelope::read(body)?;
    let built = gateway.built();
    let results = results(&built.executor, &envelope, &caller).await;
    Ok(JsonText(written(&results)))
}

async fn results(executor: &Executor, envelope: &Envelope, caller: &Caller) -> Vec<ToolResult> {
    let at_once = match envelope.mode {
        Mode::Parallel => PARALLEL_CALLS,
        Mode::Sequential => 1,
    };
    let calls = envelope.calls.iter().map(|asked| result(executor, asked, (envelope, caller)));
    let calls: Vec<_> = calls.collect();
    stream::iter(calls).buffered(at_once).collect().await
}

async fn result(
    executor: &Executor,
    asked: &Asked,
    (envelope, caller): (&Envelope, &Caller),
) -> ToolResult {
    let mut call = Call::new(&asked.call, &envelope.session);
    if let Some(principal) = &caller.principal {
        call = call.with_principal(principal.clone());
    }
    if let Some(timeout) = asked.timeout {
        call = call.with_timeout(timeout);
    }
    if envelope.is_dry_run { executor.preview(call).await } else { executor.run(call).await }
}

fn written(results: &[ToolResult]) -> String {
    let mut text = String::from(r#"{"results":["#);
    for (at, result) in results.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(callgate_dialect::json_result(result).text());
    }
    text.push_str("]}");
    text
}

/// How many calls of one request run at the same time.
const PARALLEL_CALLS: usize = 64;

//! `POST /v1/dialects/{dialect}/calls`: takes a model's message and returns the messages to append to the conversation.
//! Calls run like those of `/v1/calls`; `dialect` writes their results.

mod envelope;

use axum::{extract::State, response::Response};
use bytes::Bytes;
use callgate_config::Built;
use callgate_dialect::{Dialect, EnvelopeError};
use callgate_executor::Entry;
use callgate_tool::{ToolResult, Value};
use serde::Serialize;
use utoipa::ToSchema;

use self::envelope::DialectRequest;
use crate::{
    answer::JsonText,
    caller::Caller,
    calls::{AcceptedFormat, Batch, RequestedCall, WaitingCallKeeper, idempotency_key},
    gateway::Gateway,
    json_body::{JsonBody, typed_body},
    observe::trace_from_headers,
    path_name::PathName,
    problem::{Problem, ProblemKind},
    rights::call_rights,
    tools::supported_form,
};

#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DialectAnswer {
    /// The messages to append: an answer for every call, in the order of the calls; empty if there is none to append
    #[schema(value_type = Vec<Object>)]
    messages: Vec<Value>,
}

/// Runs the calls of a model's message and answers the messages to append.
#[utoipa::path(
    post, path = "/v1/dialects/{dialect}/calls",
    operation_id = "runMessage", tag = "calls",
    params(("dialect" = String, Path, description = "The wire format of the message")),
    request_body(content = DialectRequest, description = "The message and its session"),
    responses(
        (status = 200, description = "One answer for each call, whether it succeeded or failed, as messages of the format", body = DialectAnswer),
        (status = 404, description = "There is no such format"),
        (status = 406, description = "JSON is not accepted"),
        (status = 409, description = "The same request is still running"),
        (status = 422, description = "The message is none of the format, or the idempotency key belongs to another request"),
    ),
)]
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(dialect): PathName,
    JsonBody { headers, value, bytes }: JsonBody,
) -> Result<Response, Problem> {
    let dialect: Dialect = dialect
        .parse()
        .map_err(|error| Problem::new(ProblemKind::ABSENT_RESOURCE, format!("{error}")))?;
    AcceptedFormat::check_accepts_json(&headers)?;
    let key = idempotency_key(&headers)?;
    let DialectRequest { message, form, session, functions, dry_run: is_dry_run, mode, execution } =
        typed_body(value)?;
    let form = supported_form(dialect, form)?;
    let built = gateway.current_build();
    let entry = |name: &str| entry_by_any_name(&built, &caller, name);
    let read = dialect.read_in(form, message, |name| entry(name).and_then(Entry::declaration));
    let mut read = read.map_err(|error| foreign_message_problem(dialect, &error))?;
    if dialect.has_wire_names() {
        read = read.with_renamed_arguments(|call, name| {
            Some(entry(&call.tool)?.operation()?.argument_for_wire_name(name)?.as_str().to_owned())
        });
    }
    if let Some(functions) = &functions {
        read = read.only(functions, |name| entry(name).map(Entry::name));
    }
    let waiting = gateway.waiting_calls().clone();
    let keeper = WaitingCallKeeper { calls: waiting, session: session.members().clone() };
    let session =
        session.into_session(gateway.sessions(), &built.sessions, &caller, &headers).await?;
    let trace = trace_from_headers(&headers);
    // The headers keep the connection's read buffer in memory, and a call may take long.
    drop(headers);
    let bytes = key.as_ref().map_or_else(Bytes::new, |_| bytes);
    let origins = read.to_make().into_iter().cloned().zip(read.origins());
    let calls =
        origins.map(|(call, origin)| RequestedCall::from(call).with_origin(dialect, origin));
    let calls: Vec<_> = calls.collect();
    let batch = Batch {
        rights: call_rights(&gateway, &built, &caller),
        built: built.clone(),
        caller: caller.clone(),
        session,
        is_dry_run,
        journal: None,
        mode,
        execution,
        trace,
        key,
        stop: gateway.drain().running_calls_stop(),
        keeper: Some(keeper),
    };
    if !is_dry_run {
        let refused = read.calls().iter().filter_map(|asked| asked.call.as_ref().err());
        for ended in refused {
            batch.note_refused_call(ended).await;
        }
    }
    let request = [dialect.as_str().as_bytes(), &bytes];
    let written = |results: &[ToolResult]| {
        JsonText::from_body(&DialectAnswer { messages: dialect.write(&read, results) }).0
    };
    batch.answer_calls(&gateway, &calls, &request, written).await
}

fn foreign_message_problem(dialect: Dialect, error: &EnvelopeError) -> Problem {
    let detail = format!("this is no message of `{dialect}`: {error}");
    Problem::new(ProblemKind::FOREIGN_MESSAGE, detail)
}

/// The tool that a caller means by a name: the tool's own name, else another name of one operation, as its `operationId`.
pub(crate) fn entry_by_any_name<'b>(
    built: &'b Built,
    caller: &Caller,
    name: &str,
) -> Option<Entry<'b>> {
    let is_usable = |entry: &Entry<'_>| caller.may_use(entry.toolset());
    built.executor.find(name).filter(is_usable).or_else(|| {
        let is_meant = |entry: &Entry<'_>| {
            entry.operation().is_some_and(|operation| operation.is_called(name))
        };
        let mut meant = built.executor.entries().filter(is_usable).filter(is_meant);
        meant.next().filter(|_| meant.next().is_none())
    })
}

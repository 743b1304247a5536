//! Runs the calls of a client: calls of tools, of the four tools that stand for many, and of the reader of long results.
//! `server` and `direct` receive the calls.

use std::time::Duration;

use callgate_call::wording;
use callgate_config::McpFiles;
use callgate_dialect::Dialect;
use callgate_executor::{Call, Entry, Executor, TraceContext};
use callgate_tool::{
    Approvers, Arguments, Fault, Journal, Object, Pending, Session, ToolCall, ToolResult, Value,
    json,
};
use http::request::Parts;
use rmcp::{ErrorData, model::InputRequiredResult};

use crate::{
    client::Attachment,
    content::CallResult,
    elicitation::{self, CallOrigin, RoundEnd},
    host::{Caller, Host, SessionError, WaitingCall},
    read_result,
    shortlist::{self, Standing, TargetCall},
    state::Pauses,
};

#[derive(Clone, Copy)]
pub(crate) struct Incoming<'r> {
    pub(crate) head: Option<&'r Parts>,
    pub(crate) origin: CallOrigin<'r>,
}

pub(crate) enum Answer {
    /// The client has to ask, and then call again with the answer.
    Asks(InputRequiredResult),
    Ended(CallResult),
}

pub(crate) async fn handle_call(
    host: &dyn Host,
    incoming: Incoming<'_>,
) -> Result<Answer, ErrorData> {
    let (caller, executor, exact) =
        (host.caller(incoming.head), host.executor(), incoming.origin.exact);
    let tool = exact.tool.as_deref().unwrap_or_default();
    let arguments = exact.arguments.as_ref();
    if tool == read_result::NAME && executor.find(read_result::NAME).is_none() {
        let session = load_call_session(host, &caller, incoming).await?;
        let part = read_result::read_stored_part(&executor, &caller, &session, arguments).await;
        return Ok(Answer::Ended(part.into()));
    }
    let is_short = || shortlist::is_shortlist_used(&host.listing_settings(), &executor, &caller);
    let Some(standing) = Standing::from_name(tool).filter(|_| is_short()) else {
        let target = TargetCall { tool: tool.to_owned(), arguments: exact.arguments.clone() };
        return call_target(host, &executor, &caller, target, incoming).await;
    };
    let target = match standing.target_call(arguments) {
        None => {
            let schemas = host.listing_settings().schemas;
            return ended_answer(
                standing.find_or_describe_answer(&executor, &caller, schemas, arguments),
            );
        }
        Some(Err(wrong)) => return ended_answer(Err(wrong)),
        Some(Ok(target)) => target,
    };
    let entry = visible_entry(&executor, &caller, &target.tool);
    let (message, fault) = match entry.map(|entry| standing.refusal_reason(entry)) {
        None => {
            let otherwise = "`find_tools` finds those there are";
            unknown_tool_refusal(&executor, &caller, &target.tool, otherwise)
        }
        Some(Some(refusal)) => {
            let fault = wording::refused_request(&refusal);
            (refusal, fault)
        }
        Some(None) => return call_target(host, &executor, &caller, target, incoming).await,
    };
    let refused = refused_result(target.tool, fault);
    Box::pin(report_refused_call(host, &executor, &caller, incoming, &refused)).await;
    ended_answer(Err(message))
}

async fn call_target(
    host: &dyn Host,
    executor: &Executor,
    caller: &Caller,
    TargetCall { tool, arguments }: TargetCall,
    incoming: Incoming<'_>,
) -> Result<Answer, ErrorData> {
    let Some(entry) = visible_entry(executor, caller, &tool) else {
        let otherwise = "`tools/list` lists those there are";
        let (message, fault) = unknown_tool_refusal(executor, caller, &tool, otherwise);
        let refused = refused_result(tool, fault);
        Box::pin(report_refused_call(host, executor, caller, incoming, &refused)).await;
        return Err(ErrorData::invalid_params(message, None));
    };
    let mut asked = json!({"name": &*tool});
    if let (Some(arguments), Some(members)) = (arguments, asked.as_object_mut()) {
        members.insert("arguments", Value::Object(arguments));
    }
    let declared = |_: &str| entry.declaration();
    let read = Dialect::Mcp.read(asked, declared);
    let read = read.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
    for refused in read.calls().iter().filter_map(|asked| asked.call.as_ref().err()) {
        Box::pin(report_refused_call(host, executor, caller, incoming, refused)).await;
    }
    let session = load_call_session(host, caller, incoming).await?;
    let trace = trace_from_meta(&incoming.origin.exact.meta);
    let pauses = Pauses::from_host(host);
    let (mut results, mut attachments) = (Vec::new(), Vec::new());
    for asked in read.to_make() {
        let key = &incoming.origin.exact.key;
        let fresh = || {
            let call = Call::of_caller(asked, &session, caller.call_rights());
            let call = call_with_caller(host, call, caller, trace.clone());
            key.iter().fold(call, |call, key| call.with_extension(key.clone()))
        };
        match elicitation::run_call_with_questions(executor, fresh, &incoming.origin, &pauses)
            .await?
        {
            RoundEnd::Asks(asks) => return Ok(Answer::Asks(asks)),
            RoundEnd::Ended(mut result, attached) => {
                if let Some(pending) = result.outcome.pending_approval() {
                    let call = ToolCall::new(&*asked.id, &*result.tool, asked.arguments.clone());
                    let inline = incoming.origin.exact.session.clone();
                    let waiting = WaitingCall { call: &call, key: key.as_ref(), pending };
                    let is_kept = host.keep_waiting_call(incoming.head, inline, waiting).await;
                    result.outcome = undecided_approval_fault(pending, &is_kept).into();
                }
                results.push(result);
                attachments.extend(attached);
            }
        }
    }
    if host.listing_settings().files == McpFiles::Resource {
        for result in &results {
            attachments
                .extend(read_result::result_resources(executor, caller, &session, result).await);
        }
    }
    let mut blocks = Dialect::Mcp.write(&read, &results).into_iter().next().unwrap_or_default();
    if let Some(content) = blocks.get_mut("content").and_then(Value::as_array_mut) {
        content.extend(attachments.into_iter().map(Attachment::into_value));
    }
    let refused = read.calls().iter().find_map(|call| call.call.as_ref().err());
    let result = results.first().or_else(|| refused.map(|refused| &**refused));
    Ok(Answer::Ended(CallResult::new(result, blocks)))
}

/// The fault of a call that nobody has approved yet. Where others than the caller may, it is enough to make it again.
fn undecided_approval_fault(pending: &Pending, is_kept: &Result<bool, SessionError>) -> Box<Fault> {
    match (pending.approvers, is_kept) {
        (Approvers::Either | Approvers::Others, _) => {
            wording::approval::other_approver_fault(&pending.id)
        }
        (Approvers::Caller, Ok(true)) => wording::approval::decided_elsewhere(&pending.id),
        (Approvers::Caller, Ok(false)) => wording::approval::nobody_asks(),
        (Approvers::Caller, Err(_)) => wording::approval::not_kept(Duration::ZERO),
    }
}

async fn load_call_session(
    host: &dyn Host,
    caller: &Caller,
    incoming: Incoming<'_>,
) -> Result<Session, ErrorData> {
    let session = host.session(incoming.head, caller, incoming.origin.exact.session.clone()).await;
    session.map_err(|error| match error {
        SessionError::Invalid(message) => ErrorData::invalid_params(message, None),
        SessionError::Unavailable(message) => ErrorData::internal_error(message, None),
    })
}

async fn report_refused_call(
    host: &dyn Host,
    executor: &Executor,
    caller: &Caller,
    incoming: Incoming<'_>,
    ended: &ToolResult,
) {
    // A session that cannot be read does not hide the call.
    let session = load_call_session(host, caller, incoming).await.unwrap_or_default();
    let asked = ToolCall::new(&*ended.id, &*ended.tool, Arguments::new());
    let call = Call::of_caller(&asked, &session, caller.call_rights());
    let call = call_with_caller(host, call, caller, trace_from_meta(&incoming.origin.exact.meta));
    executor.report_refused(call, &ended.outcome).await;
}

fn call_with_caller<'a>(
    host: &dyn Host,
    call: Call<'a>,
    caller: &Caller,
    trace: Option<TraceContext>,
) -> Call<'a> {
    let mut call = host.call_with_host_values(call);
    if let Some(principal) = &caller.principal {
        call = call.with_principal(principal.clone());
    }
    match trace {
        Some(trace) => call.with_trace(trace),
        None => call,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it ends the functions that it ends")]
fn ended_answer(answer: Result<Value, String>) -> Result<Answer, ErrorData> {
    Ok(Answer::Ended(shortlist::tool_result(answer).into()))
}

/// The result of a call that is not made; a request of MCP holds one call.
fn refused_result(tool: String, fault: Box<Fault>) -> ToolResult {
    ToolResult { id: "call_1".to_owned(), tool, outcome: fault.into(), journal: Journal::default() }
}

fn visible_entry<'e>(executor: &'e Executor, caller: &Caller, name: &str) -> Option<Entry<'e>> {
    executor.find(name).filter(|entry| caller.can_use_toolset(entry.toolset()))
}

/// The sentence about an unknown tool, with the nearest that the caller may use or `otherwise`, and the fault.
fn unknown_tool_refusal(
    executor: &Executor,
    caller: &Caller,
    asked: &str,
    otherwise: &str,
) -> (String, Box<Fault>) {
    let fault = executor.unknown_tool_fault(asked, |toolset| caller.can_use_toolset(toolset));
    if let Some(reason) = executor.refusal_reason(asked, |toolset| caller.can_use_toolset(toolset))
    {
        return (wording::refused_tool_sentence(asked, reason), fault);
    }
    let nearest = executor.nearest_names(asked, |entry| caller.can_use_toolset(entry.toolset()));
    (wording::unknown_tool_sentence(asked, &nearest, otherwise), fault)
}

/// The caller's trace: `_meta.traceparent`, `tracestate` and `baggage` (MCP 2026-07-28, basic).
fn trace_from_meta(meta: &Object) -> Option<TraceContext> {
    let text = |name: &str| meta.get(name).and_then(Value::as_str);
    let trace = TraceContext::parse(text("traceparent")?)?;
    let trace = match text("tracestate") {
        Some(state) => trace.with_state(state),
        None => trace,
    };
    Some(match text("baggage") {
        Some(baggage) => trace.with_baggage(baggage),
        None => trace,
    })
}

//! `POST /v1/calls`: runs the calls of one request and answers their results in the order of the calls, or each as it ends.

mod accept;
mod awaiting_approval;
mod envelope;
mod events;
mod journal;
mod repetition;

pub(crate) use self::{
    accept::AcceptedFormat,
    awaiting_approval::WaitingCallKeeper,
    envelope::{Executor, Mode, RequestedCall, execution_of},
    repetition::{
        GivenUp, RepeatedRequest, claim_key_or_answer as begun_with_key, idempotency_key,
    },
};

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use callgate_config::Built;
use callgate_executor::{AnswersSignIns, Call, CallRights, Execution, Stop, TraceContext};
use callgate_policy::IdempotencyKey;
use callgate_tool::{Arguments, Audience, Fingerprint, Session, ToolCall, ToolResult};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use utoipa::ToSchema;

use self::envelope::CallsRequest;
use crate::{
    answer::{JsonText, put_configuration_digest},
    bodies::ResultBody,
    caller::Caller,
    gateway::Gateway,
    json_body::{JsonBody, typed_body},
    observe::trace_from_headers,
    problem::Problem,
    rights::call_rights,
};

#[derive(Serialize, ToSchema)]
struct CallsAnswer<'r> {
    /// One result for each call, in the order of the calls
    #[schema(value_type = Vec<ResultBody>)]
    results: &'r [ToolResult],
}

/// Runs calls and answers their results.
#[utoipa::path(
    post, path = "/v1/calls",
    operation_id = "runCalls", tag = "calls",
    request_body(content = CallsRequest, description = "The calls and their session"),
    responses(
        (status = 200, description = "One result for each call, whether it succeeded or failed; with `Accept: text/event-stream` as events `value`, `result` and `end`",
            content((CallsAnswer<'_> = "application/json"), (String = "text/event-stream")),
            links(("ShowResult" = (operation_id = "showResult", parameters(("id" = "$response.body#/results/0/handle"), ("session" = "$request.body#/session/id")))))),
        (status = 406, description = "No accepted media type can be answered"),
        (status = 409, description = "The same request is still running"),
        (status = 422, description = "The idempotency key belongs to another request"),
    ),
)]
#[expect(clippy::manual_async_fn, reason = "an `async fn` holds what it is called with twice")]
pub(crate) fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    JsonBody { headers, value, bytes }: JsonBody,
) -> impl Future<Output = Result<Response, Problem>> + Send {
    async move {
        let (accepted, key) =
            (AcceptedFormat::from_headers(&headers)?, repetition::idempotency_key(&headers)?);
        let CallsRequest { calls, session, dry_run: is_dry_run, journal, mode, execution } =
            typed_body(value)?;
        let journal = journal.then(|| journal::audience(&caller));
        let built = gateway.current_build();
        let calls_that_wait = gateway.waiting_calls().clone();
        let keeper =
            WaitingCallKeeper { calls: calls_that_wait, session: session.members().clone() };
        let keeper = Some(keeper);
        let session = session.into_session(gateway.sessions(), &built.sessions, &caller, &headers);
        let session = session.await?;
        let trace = trace_from_headers(&headers);
        // They hold what was read of the connection for as long as they are there, and a call may take its time.
        drop(headers);
        let bytes = key.as_ref().map_or_else(Bytes::new, |_| bytes);
        let stop = gateway.drain().running_calls_stop();
        let batch = Batch {
            rights: call_rights(&gateway, &built, &caller),
            built,
            caller,
            session,
            is_dry_run,
            journal,
            mode,
            execution,
            trace,
            key,
            stop,
            keeper,
        };
        match accepted {
            AcceptedFormat::Events => Ok(events::events_response(Arc::new(batch), calls)),
            AcceptedFormat::Json => {
                let body: [&[u8]; 1] = [&bytes];
                let written = |results: &[ToolResult]| match journal {
                    Some(audience) => journal::results_with_journals(results, audience),
                    None => results_json(results),
                };
                batch.answer_calls(&gateway, &calls, &body, written).await
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) built: Arc<Built>,
    pub(crate) caller: Caller,
    pub(crate) rights: CallRights,
    pub(crate) session: Session,
    pub(crate) is_dry_run: bool,
    pub(crate) journal: Option<Audience>,
    pub(crate) mode: Mode,
    pub(crate) execution: Execution,
    pub(crate) trace: Option<TraceContext>,
    pub(crate) key: Option<String>,
    /// Ends calls when the sidecar is stopped.
    pub(crate) stop: Stop,
    /// Keeps calls that a person has to approve; without, they are refused.
    pub(crate) keeper: Option<WaitingCallKeeper>,
}

/// The text of an answer, made now or by an earlier request under its key.
#[derive(Debug)]
pub(crate) enum BatchText {
    Earlier(String),
    Made(String),
}

impl Batch {
    /// Runs calls and answers with what `written` makes of their results; `request` decides what repeats a key's request.
    pub(crate) async fn answer_calls(
        &self,
        gateway: &Gateway,
        calls: &[RequestedCall],
        request: &[&[u8]],
        written: impl Fn(&[ToolResult]) -> String,
    ) -> Result<Response, Problem> {
        Ok(match self.run_or_earlier_text(gateway, calls, request, written).await? {
            BatchText::Earlier(text) => JsonText(text).into_response(),
            BatchText::Made(text) => self.with_configuration_digest(JsonText(text)),
        })
    }

    /// The text of the answer.
    pub(crate) async fn run_or_earlier_text(
        &self,
        gateway: &Gateway,
        calls: &[RequestedCall],
        request: &[&[u8]],
        written: impl Fn(&[ToolResult]) -> String,
    ) -> Result<BatchText, Problem> {
        // A dry run does nothing that a repetition would do twice.
        let Some(key) = self.key.as_deref().filter(|_| !self.is_dry_run) else {
            return Ok(BatchText::Made(written(&self.run_calls(calls).await)));
        };
        let Some(fingerprints) = self.fingerprints(calls) else {
            // A call that the caller may not make is refused, whatever was answered to another token of the same principal.
            return Ok(BatchText::Made(written(&self.run_calls(calls).await)));
        };
        let principal = self.caller.principal.as_ref();
        let request = [request, &[&fingerprints]].concat();
        let (answers, given_up) = (gateway.idempotent_answers(), GivenUp::MadeAgain);
        match repetition::claim_key_or_answer(answers, key, &request, principal, given_up).await? {
            RepeatedRequest::Answered(text) => Ok(BatchText::Earlier(text)),
            RepeatedRequest::Made(guard) => {
                let results = self.run_calls(calls).await;
                let text = written(&results);
                repetition::keep_unless_open(guard, &text, &results).await;
                Ok(BatchText::Made(text))
            }
        }
    }

    /// The response of these calls. It says the configuration that made them: replicas may serve different ones for a while.
    fn with_configuration_digest(&self, response: impl IntoResponse) -> Response {
        let mut response = response.into_response();
        put_configuration_digest(&mut response, &self.built);
        response
    }

    /// The fingerprints of the calls; `None` if the caller may not make one of them.
    pub(crate) fn fingerprints(&self, calls: &[RequestedCall]) -> Option<Vec<u8>> {
        let mut fingerprints = Vec::with_capacity(32 * calls.len());
        for (at, asked) in calls.iter().enumerate() {
            fingerprints.extend(self.fingerprint(at, asked)?.as_bytes());
        }
        Some(fingerprints)
    }

    /// The fingerprint of a call; `None` if the caller may not make it.
    pub(crate) fn fingerprint(&self, at: usize, asked: &RequestedCall) -> Option<Fingerprint> {
        self.built.executor.fingerprint(&self.executor_call(at, asked))
    }

    fn calls_at_once(&self) -> usize {
        match self.mode {
            Mode::Parallel => PARALLEL_CALLS,
            Mode::Sequential => 1,
        }
    }

    pub(crate) async fn run_calls(&self, calls: &[RequestedCall]) -> Vec<ToolResult> {
        if let [only] = calls {
            return vec![Box::pin(self.run_call(0, only)).await];
        }
        // Each in a box of its own: what is moved about is not the call itself.
        let calls = calls.iter().enumerate();
        let calls: Vec<_> = calls.map(|(at, asked)| Box::pin(self.run_call(at, asked))).collect();
        stream::iter(calls).buffered(self.calls_at_once()).collect().await
    }

    async fn run_call(&self, at: usize, asked: &RequestedCall) -> ToolResult {
        let (call, executor) = (self.executor_call(at, asked), &self.built.executor);
        if self.is_dry_run {
            return executor.dry_run_with(call).await;
        }
        let result = executor.call_with(call).await;
        self.store_if_waiting(at, asked, result).await
    }

    pub(crate) async fn note_refused_call(&self, ended: &ToolResult) {
        let asked = ToolCall::new(&*ended.id, &*ended.tool, Arguments::new());
        let mut call = Call::of_caller(&asked, &self.session, self.rights.clone());
        if let Some(principal) = &self.caller.principal {
            call = call.with_principal(principal.clone());
        }
        if let Some(trace) = &self.trace {
            call = call.with_trace(trace.clone());
        }
        self.built.executor.report_refused(call, &ended.outcome).await;
    }

    async fn store_if_waiting(
        &self,
        at: usize,
        asked: &RequestedCall,
        result: ToolResult,
    ) -> ToolResult {
        awaiting_approval::store_if_waiting(self, at, asked, result).await
    }

    /// The idempotency key of a call: its own, or one that follows from the request's.
    fn call_idempotency_key(&self, at: usize, asked: &RequestedCall) -> Option<String> {
        let request = self.key.as_deref().filter(|_| !self.is_dry_run);
        let own = asked.idempotency_key.clone();
        own.or_else(|| Some(repetition::derived_call_key(request?, at)))
    }

    /// One call with all that surrounds it. The executor decides whether the caller may make it.
    fn executor_call<'a>(&'a self, at: usize, asked: &'a RequestedCall) -> Call<'a> {
        let mut call = Call::of_caller(&asked.call, &self.session, self.rights.clone())
            .with_stop(self.stop.clone());
        if let Some(principal) = &self.caller.principal {
            call = call.with_principal(principal.clone());
        }
        if self.execution == Execution::Client {
            call = call.run_by_client();
        }
        if let Some(trace) = &self.trace {
            call = call.with_trace(trace.clone());
        }
        if self.keeper.as_ref().is_some_and(WaitingCallKeeper::allows_new_credentials) {
            call = call.with_extension(AnswersSignIns);
        }
        if let Some(key) = self.call_idempotency_key(at, asked) {
            call = call.with_extension(IdempotencyKey(key));
        }
        if let Some(decided) = &asked.decided {
            call = call.with_decided(decided.clone());
        }
        if let Some(approval) = &asked.approval {
            call = call.with_approval(&**approval);
        }
        if let Some(timeout) = asked.timeout {
            call = call.with_timeout(timeout);
        }
        call
    }
}

fn results_json(results: &[ToolResult]) -> String {
    let mut text = Vec::with_capacity(RESULT_BYTES * results.len());
    let written = serde_json::to_writer(&mut text, &CallsAnswer { results });
    written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default()
}

/// The most calls of one request that run at the same time.
const PARALLEL_CALLS: usize = 64;
/// Most results fit in so many bytes; longer ones make room for themselves.
const RESULT_BYTES: usize = 512;

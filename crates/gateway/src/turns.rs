//! `POST /v1/agents/{agent}/turns`: a turn of a model and its tools, for a caller and with its rights. The conversation is
//! kept for the caller under the id of the session; a caller that leaves cancels the turn.

mod agents;
mod envelope;
mod events;
mod files;
mod recording;
mod repetition;
mod stop;
mod turn_session;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use callgate_agent::{
    Agent, End, Error, ErrorKind, Input, KeptTurn, PendingCall, Transcript, Transcripts,
    TurnContext, TurnEvent,
};
use callgate_call::StoredResults;
use callgate_executor::Stop;
use callgate_policy::Guard;
use callgate_tool::{Object, Session, Value, from_value, json, rfc_3339};
use tokio::task::JoinHandle;

use self::{
    agents::Agents,
    envelope::TurnForm,
    files::NamedFiles,
    recording::TurnRecorder,
    repetition::TurnKey,
    stop::TurnStop,
    turn_session::{TurnValues, session_and_kept_values},
};
use crate::{
    answer::JsonText,
    calls::{AcceptedFormat, RepeatedRequest},
    observe::{trace_from_headers, turn_report::Report},
    problem::{Problem, ProblemKind},
    routes::{RouteRequest, Routes},
};

/// The path of turns as a route of a sidecar.
pub fn turns() -> Routes {
    let description = Value::parse(include_str!("turns/openapi.json")).unwrap_or_default();
    let description = description.as_object().cloned().unwrap_or_default();
    let agents = Arc::new(Agents::default());
    let take = move |request, body| answer_turn(Arc::clone(&agents), request, body);
    Routes::new().post_response("/v1/agents/{agent}/turns", take).with_description(description)
}

async fn answer_turn(
    agents: Arc<Agents>,
    request: RouteRequest,
    body: Value,
) -> Result<Response, Problem> {
    let accepted = AcceptedFormat::from_headers(request.headers())?;
    let name = request.path_parameter("agent").to_owned();
    if !request.caller().may_use_agent(&name) {
        let detail = format!("the principal may not use the agent `{name}`");
        return Err(Problem::new(ProblemKind::FORBIDDEN, detail));
    }
    let agent = agents.get(request.shared_build(), &name).map_err(|error| agent_problem(&error))?;
    let key = TurnKey::read(&request, &name, &body)?;
    let mut form: TurnForm = from_value(body)?;
    let (session, values) = session_and_kept_values(&request, &name, &mut form).await?;
    let files = NamedFiles::fetch_readable(&request, &session, form.input.as_ref()).await?;
    let input = form.input(StoredResults::new(&|handle| files.find(handle)))?;
    let brought = form.transcript.take();
    let record = form.record;
    let recorder = TurnRecorder::begin_if_wanted(&request, &name, record, &input, &values).await?;
    let context = turn_context(&request, session).with_rights(agents.turn_rights(&request, &name));
    let transcripts = request.gateway().transcripts().clone();
    let brought = brought.map(|messages| Transcript::from_messages(agent.dialect(), messages));
    let brought = brought.transpose().map_err(|error| agent_problem(&error))?;
    let guard = match key {
        Some(key) => match key.claim_key_or_answer(&request).await? {
            RepeatedRequest::Answered(text) => {
                let text = repetition::answer_if_readable(text, |tool| {
                    agent.permits_tool(tool, &context)
                })?;
                return Ok(earlier_answer(accepted, text));
            }
            RepeatedRequest::Made(guard) => Some(guard),
        },
        None => None,
    };
    let kept = match brought {
        Some((transcript, _)) => transcripts.replace(&name, transcript, &context).await,
        None => Ok(()),
    };
    let guard = guard_or_free_key(guard, kept).await?;
    let report = Report::new(&name, request.principal(), trace_from_headers(request.headers()));
    let (stop, drain) = (TurnStop::default(), request.gateway().drain().running_calls_stop());
    let turn = PreparedTurn {
        agent,
        name,
        transcripts,
        context,
        input,
        recorder,
        values,
        report,
        stop,
        drain,
        guard,
    };
    match accepted {
        AcceptedFormat::Events => events::stream_turn(turn).await,
        AcceptedFormat::Json => {
            let taken = turn.with_event_handler(|_| {}).spawn_task().wait_for_end().await?;
            Ok(JsonText(taken.answer().to_string()).into_response())
        }
    }
}

/// The guard of a turn that begins. One that does not begin, because its transcript is not kept, frees its key.
async fn guard_or_free_key(
    guard: Option<Guard>,
    kept: Result<(), Error>,
) -> Result<Option<Guard>, Problem> {
    let Err(error) = kept else { return Ok(guard) };
    if let Some(guard) = guard {
        guard.free_key().await;
    }
    Err(agent_problem(&error))
}

/// The answer of an earlier request with the same key.
fn earlier_answer(accepted: AcceptedFormat, text: String) -> Response {
    match accepted {
        AcceptedFormat::Events => events::earlier_answer(&text),
        AcceptedFormat::Json => JsonText(text).into_response(),
    }
}

/// The caller of the turn and its surroundings.
fn turn_context(request: &RouteRequest, session: Session) -> TurnContext {
    let caller = request.caller();
    let mut context = TurnContext::new(session);
    if let Some(principal) = caller.principal.clone() {
        context = context.with_principal(principal);
    }
    match trace_from_headers(request.headers()) {
        Some(trace) => context.with_trace(trace),
        None => context,
    }
}

/// A turn that is about to begin.
struct PreparedTurn {
    agent: Agent,
    name: String,
    transcripts: Transcripts,
    context: TurnContext,
    input: Input,
    recorder: Option<TurnRecorder>,
    values: TurnValues,
    report: Report,
    /// Ends the turn when its caller leaves, or does not read.
    stop: TurnStop,
    /// Ends the turn when the sidecar is stopped.
    drain: Stop,
    /// Keeps the answer under the key of the request.
    guard: Option<Guard>,
}

/// A turn that runs in a task of its own, which ends it in order if the caller leaves or the sidecar ends.
struct TurnTask {
    task: JoinHandle<Result<TakenTurn, Error>>,
    /// Last, so that a turn that has ended is not cancelled.
    _leaving: TurnCanceller,
}

/// A turn that has ended, and where it was recorded.
struct TakenTurn {
    kept: KeptTurn,
    recording: Option<Value>,
}

impl PreparedTurn {
    /// Shows the events of the turn.
    fn with_event_handler(
        mut self,
        shown: impl Fn(&TurnEvent<'_>) + Send + Sync + 'static,
    ) -> Self {
        match &self.recorder {
            Some(recorder) => {
                self.context = recorder.context_with_recorded_events(self.context, shown);
                self.agent = recorder.agent_with_recorded_model(self.agent);
            }
            None => self.context = self.context.with_events(shown),
        }
        self
    }

    fn spawn_task(self) -> TurnTask {
        let Self {
            agent,
            name,
            transcripts,
            context,
            input,
            recorder,
            values,
            report,
            stop,
            drain,
            guard,
        } = self;
        let context = context.with_stop(stop.turn.clone());
        let leaving = TurnCanceller(stop.turn.clone());
        let task = tokio::spawn(async move {
            let mut turn = Box::pin(transcripts.turn(&agent, &name, input, &context));
            let mut kept = tokio::select! {
                biased;
                kept = &mut turn => kept,
                () = drain.wait_for_stop() => {
                    stop.turn.stop();
                    turn.await
                }
            };
            if let Ok(kept) = &mut kept {
                let stopped_by = stop.stopped_by(&mut kept.end);
                report.report_end(&kept.end, stopped_by);
                values.keep_or_remove(kept).await;
            }
            let recording = match (recorder, &kept) {
                (Some(recorder), Ok(kept)) => Some(recorder.kept_recording_member(&kept.end).await),
                _ => None,
            };
            let taken = kept.map(|kept| TakenTurn { kept, recording });
            if let Some(guard) = guard {
                repetition::keep_answer_or_free(guard, &taken).await;
            }
            taken
        });
        TurnTask { task, _leaving: leaving }
    }
}

impl TurnTask {
    async fn wait_for_end(mut self) -> Result<TakenTurn, Problem> {
        let taken = (&mut self.task).await.map_err(|_| {
            Problem::new(ProblemKind::UNAVAILABLE, "the turn was ended before it could answer")
        })?;
        taken.map_err(|error| agent_problem(&error))
    }
}

/// Cancels the turn when its caller has left.
struct TurnCanceller(Stop);

impl Drop for TurnCanceller {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl TakenTurn {
    fn answer(&self) -> Value {
        let mut answer = turn_answer(&self.kept);
        if let (Some(recording), Some(members)) = (&self.recording, answer.as_object_mut()) {
            members.insert("recording", recording.clone());
        }
        answer
    }
}

fn turn_answer(kept: &KeptTurn) -> Value {
    let added = kept.added_messages().iter().map(|message| message.value().clone());
    let End { reason, detail, text, n_rounds, n_calls, pending, .. } = &kept.end;
    let mut end = Object::from([("reason", reason.as_str().into())]);
    end.insert_if_some("detail", detail.as_deref());
    end.insert_if_some("retryAfter", kept.end.retry_after.map(|wait| wait.as_secs().max(1)));
    let mut answer = Object::from([
        ("messages", Value::Array(added.collect())),
        ("text", text.as_str().into()),
        ("end", end.into()),
        ("usage", turn_usage(&kept.end)),
        ("rounds", json!(*n_rounds)),
        ("calls", json!(*n_calls)),
        ("pending", Value::Array(pending.iter().map(pending_call_json).collect())),
    ]);
    if !kept.repair.is_nothing() {
        answer.insert("repaired", kept.repair.to_string().into());
    }
    answer.into()
}

fn turn_usage(end: &End) -> Value {
    let mut usage =
        Object::from([("input", json!(end.usage.input)), ("output", json!(end.usage.output))]);
    if end.is_estimated {
        usage.insert("estimated", true.into());
    }
    usage.into()
}

fn pending_call_json(call: &PendingCall) -> Value {
    let mut pending = Object::from([
        ("id", call.id.as_str().into()),
        ("tool", call.tool.as_str().into()),
        ("args", Value::Object(call.arguments.clone())),
        ("kind", call.kind.into()),
    ]);
    if !call.request.is_null() {
        pending.insert("request", call.request.clone());
    }
    pending.insert_if_some("expires", call.expires.map(rfc_3339));
    if let Some(approval) = &call.approval {
        pending.insert("approval", approval.as_str().into());
        pending.insert("approvers", call.approvers.as_str().into());
    }
    pending.into()
}

fn agent_problem(error: &Error) -> Problem {
    let kind = match error.kind() {
        ErrorKind::Busy => TURN_RUNNING,
        ErrorKind::Answer => UNKNOWN_CALL,
        ErrorKind::Input => UNFIT_INPUT,
        ErrorKind::Dialect | ErrorKind::Transcript => ProblemKind::FOREIGN_MESSAGE,
        ErrorKind::Session => NO_SESSION_VALUE,
        ErrorKind::UnknownAgent => ProblemKind::ABSENT_RESOURCE,
        _ => ProblemKind::UNAVAILABLE,
    };
    Problem::new(kind, error.to_string())
}

const TURN_RUNNING: ProblemKind =
    ProblemKind::new("turn-running", 409, "Another turn of the conversation runs");
const UNFIT_INPUT: ProblemKind =
    ProblemKind::new("unfit-input", 422, "The model cannot get the input");
const NO_SESSION_VALUE: ProblemKind =
    ProblemKind::new("missing-session-value", 422, "The session lacks a value");
const UNKNOWN_CALL: ProblemKind = ProblemKind::new("unknown-call", 409, "No such call waits");

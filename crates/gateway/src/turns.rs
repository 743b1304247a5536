//! `POST /v1/agents/{agent}/turns`: a turn of a model and its tools, for a caller and with its rights. The conversation is
//! kept for the caller under the id of the session; a caller that leaves cancels the turn.

mod envelope;

use callgate_agent::{
    Agent, End, Error, ErrorKind, Input, KeptTurn, PendingCall, Transcript, Transcripts,
    TurnContext,
};
use callgate_executor::Stop;
use callgate_tool::{Object, Value, from_value, json};

use self::envelope::TurnForm;
use crate::{
    observe::trace_of,
    problem::{Problem, ProblemKind},
    routes::{RouteRequest, Routes},
    timestamp::timestamp,
};

/// The path of turns as a route of a sidecar.
pub fn turns() -> Routes {
    let description = Value::parse(include_str!("turns/openapi.json")).unwrap_or_default();
    let description = description.as_object().cloned().unwrap_or_default();
    Routes::new().post("/v1/agents/{agent}/turns", take).described(description)
}

async fn take(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    let name = request.parameter("agent").to_owned();
    if !request.caller().may_use_agent(&name) {
        let detail = format!("the principal may not use the agent `{name}`");
        return Err(Problem::new(ProblemKind::FORBIDDEN, detail));
    }
    let agent = Agent::of_configuration(request.built(), &name).map_err(|error| problem(&error))?;
    let mut form: TurnForm = from_value(body)?;
    let input = form.input()?;
    let brought = form.transcript.take();
    let session = request.session(form.session).await?;
    if session.id().is_none() {
        return Err(Problem::malformed(
            "expected `session.id`, under which the conversation is kept, got none",
        ));
    }
    let mut context = TurnContext::new(session).with_stop(Stop::default());
    let caller = request.caller();
    if let Some(principal) = caller.principal.clone() {
        context = context.with_principal(principal);
    }
    if let Some(toolsets) = caller.toolsets.clone() {
        context = context.with_toolsets(toolsets);
    }
    if let Some(trace) = trace_of(request.headers()) {
        context = context.with_trace(trace);
    }
    let turn = Turn { agent, name, transcripts: request.gateway().transcripts().clone(), context };
    let kept = turn.taken(&request, brought, input).await?;
    Ok(answer(&kept))
}

/// A turn that is about to begin.
struct Turn {
    agent: Agent,
    name: String,
    transcripts: Transcripts,
    context: TurnContext,
}

impl Turn {
    /// Takes the turn in a task of its own, which ends it in order if the caller leaves or the sidecar ends.
    async fn taken(
        mut self,
        request: &RouteRequest,
        brought: Option<Vec<Value>>,
        input: Input,
    ) -> Result<KeptTurn, Problem> {
        let (stop, drain) = (Stop::default(), request.gateway().drain().stop());
        let leaving = Leaving(stop.clone());
        self.context = self.context.with_stop(stop.clone());
        if let Some(messages) = brought {
            let read = Transcript::of_messages(self.agent.dialect(), messages);
            let (transcript, _) = read.map_err(|error| problem(&error))?;
            let replaced = self.transcripts.replace(&self.name, transcript, &self.context).await;
            replaced.map_err(|error| problem(&error))?;
        }
        let task = tokio::spawn(async move {
            let Self { agent, name, transcripts, context } = self;
            let mut turn = Box::pin(transcripts.turn(&agent, &name, input, &context));
            tokio::select! {
                biased;
                kept = &mut turn => kept,
                () = drain.stopped() => {
                    stop.stop();
                    turn.await
                }
            }
        });
        let kept = task.await.map_err(|_| {
            Problem::new(ProblemKind::UNAVAILABLE, "the turn was ended before it could answer")
        })?;
        drop(leaving);
        kept.map_err(|error| problem(&error))
    }
}

/// Cancels the turn when its caller has left.
struct Leaving(Stop);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn answer(kept: &KeptTurn) -> Value {
    let messages = kept.transcript.messages();
    let added = messages.iter().skip(kept.n_before).map(|message| message.value().clone());
    let End { reason, detail, text, usage, n_rounds, n_calls, pending, .. } = &kept.end;
    let mut end = Object::from([("reason", reason.as_str().into())]);
    if let Some(detail) = detail {
        end.insert("detail", detail.as_str().into());
    }
    let mut answer = Object::from([
        ("messages", Value::Array(added.collect())),
        ("text", text.as_str().into()),
        ("end", end.into()),
        ("usage", json!({"input": usage.input, "output": usage.output})),
        ("rounds", json!(*n_rounds)),
        ("calls", json!(*n_calls)),
        ("pending", Value::Array(pending.iter().map(waiting).collect())),
    ]);
    if !kept.repair.is_nothing() {
        answer.insert("repaired", kept.repair.to_string().into());
    }
    answer.into()
}

fn waiting(call: &PendingCall) -> Value {
    let mut pending = Object::from([
        ("id", call.id.as_str().into()),
        ("tool", call.tool.as_str().into()),
        ("args", Value::Object(call.arguments.clone())),
        ("kind", call.kind.into()),
    ]);
    if !call.request.is_null() {
        pending.insert("request", call.request.clone());
    }
    if let Some(expires) = call.expires {
        pending.insert("expires", timestamp(expires).into());
    }
    pending.into()
}

fn problem(error: &Error) -> Problem {
    let kind = match error.kind() {
        ErrorKind::Busy => TURN_RUNNING,
        ErrorKind::Answer => UNKNOWN_CALL,
        ErrorKind::Dialect | ErrorKind::Transcript => ProblemKind::FOREIGN_MESSAGE,
        ErrorKind::UnknownAgent => ProblemKind::ABSENT_RESOURCE,
        _ => ProblemKind::UNAVAILABLE,
    };
    Problem::new(kind, error.to_string())
}

const TURN_RUNNING: ProblemKind =
    ProblemKind::new("turn-running", 409, "Another turn of the conversation runs");
const UNKNOWN_CALL: ProblemKind = ProblemKind::new("unknown-call", 409, "No such call waits");

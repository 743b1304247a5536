//! `POST /v1/sessions/{id}:run`: calls of a session in the form of Customer Engagement Suite. If the client runs one of
//! them, the session waits for the client's answer and keeps the other results until then. The state is one record of a
//! store, changed by compare-and-swap, so that only one of two answers to a call is accepted.

mod answer;
mod dialogflow;
mod form;
mod inputs;
mod judged;
mod repeated;
mod turn;
mod written;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use callgate_call::wording;
use callgate_config::Built;
use callgate_dialect::{Dialect, ReadMessage};
use callgate_executor::Entry;
use callgate_session::{ErrorKind, Expected, Version};
use callgate_tool::{Effect, Fault, Object, Session, Value};
use http::HeaderMap;

use self::{
    form::Form,
    inputs::{Inputs, ToolResponse},
    repeated::Request,
    turn::{Fate, Past, PendingCall, Runs, Turn},
    written::{end, end_all, ended, kept, waiting, with_ids},
};
pub(crate) use self::{
    form::is_of_dialogflow,
    inputs::{named, take},
    written::response,
};
use crate::{
    answer::JsonText,
    caller::Caller,
    calls::{Batch, Mode, RequestedCall, idempotency_key},
    dialects::entry,
    gateway::Gateway,
    json_body::malformed,
    observe::trace_of,
    problem::{Problem, ProblemKind},
    sessions::{Inline, with_changes},
};

/// One request to run something in a session.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) gateway: Gateway,
    pub(crate) caller: Caller,
    pub(crate) headers: HeaderMap,
    /// The session.
    pub(crate) id: String,
    /// The context that the path names: project, location, app.
    pub(crate) context: Object,
}

impl Run {
    /// Runs the calls or answers in a body, and returns the response.
    pub(crate) async fn answer(self, body: Value) -> Result<Response, Problem> {
        let form = Form::of(&body);
        let config = &self.gateway.built().sessions;
        let request = Request::of(&self.headers, &body, &self.caller, config)?;
        let mut inputs = match form {
            Form::Ces => Inputs::read(body, &self.id)?,
            Form::Dialogflow => dialogflow::read(body, &self.id)?,
        };
        let running = match &request {
            Some(request) => request.begin(&self.gateway, &self.caller, &self.id).await?,
            None => None,
        };
        inputs.request = request;
        let outputs = self.outputs(form, inputs).await;
        if let Some(running) = running {
            running.free().await;
        }
        Ok(JsonText(form.body(outputs?).to_string()).into_response())
    }

    /// The outputs of a request: those that are kept of it, or new ones.
    async fn outputs(&self, form: Form, mut inputs: Inputs) -> Result<Vec<Value>, Problem> {
        let built = self.gateway.built();
        let Some(responses) = inputs.responses.take() else {
            return self.called(&built, form, inputs).await;
        };
        match self.told(inputs.request.as_ref()).await? {
            Some(outputs) => Ok(outputs),
            None => self.answered(&built, inputs, responses).await,
        }
    }

    /// The outputs that are kept of a request.
    async fn told(&self, request: Option<&Request>) -> Result<Option<Vec<Value>>, Problem> {
        let Some(request) = request else { return Ok(None) };
        self.runs().await?.0.told.find(request, |tool| self.may_read(tool))
    }

    /// Makes calls.
    async fn called(
        &self,
        built: &Arc<Built>,
        form: Form,
        inputs: Inputs,
    ) -> Result<Vec<Value>, Problem> {
        let Inputs { calls, variables, session, execution, mut request, .. } = inputs;
        let calls = match form {
            Form::Ces => with_ids(calls),
            Form::Dialogflow => calls,
        };
        let read = read_in(form.dialect(), built, &self.caller, form.message(&calls))?;
        let asked =
            read.to_make().into_iter().cloned().map(RequestedCall::from).collect::<Vec<_>>();
        let batch = Batch {
            built: Arc::clone(built),
            caller: self.caller.clone(),
            session: self.session(built, session, &variables).await?,
            is_dry_run: false,
            mode: Mode::Parallel,
            execution,
            trace: trace_of(&self.headers),
            key: idempotency_key(&self.headers)?,
            stop: self.gateway.drain().stop(),
            keeper: None,
        };
        if let Some(fingerprints) = batch.fingerprints(&asked) {
            request = request.map(|request| request.of_calls(&fingerprints));
        }
        if let Some(outputs) = self.told(request.as_ref()).await? {
            return Ok(outputs);
        }
        let (runs, _) = self.runs().await?;
        if let Some(open) = self.closed(built, runs).0.open {
            return Err(judged::paused(&open));
        }
        self.store(variables).await?;
        let results = batch.results(&asked).await;
        let written = form.responses(form.dialect().write(&read, &results));
        let mut results = asked.iter().zip(&results);
        let kept = read.calls().iter().zip(&calls).zip(written).map(|((asked, call), response)| {
            let made = asked.call.is_ok().then(|| results.next()).flatten();
            kept(form, call, made, &response)
        });
        self.begun(built, kept.collect(), request.as_ref()).await
    }

    /// Keeps a turn whose calls have begun. Returns the outputs known so far.
    async fn begun(
        &self,
        built: &Built,
        calls: Vec<PendingCall>,
        request: Option<&Request>,
    ) -> Result<Vec<Value>, Problem> {
        for _ in 0..ATTEMPTS {
            let (runs, version) = self.runs().await?;
            let (mut runs, mut outputs) = self.closed(built, runs);
            if calls.is_empty() && outputs.is_empty() {
                return Ok(outputs);
            }
            let expires = self.gateway.sessions().milliseconds();
            let time = built.sessions.client_time.as_millis();
            let expires = expires.saturating_add(u64::try_from(time).unwrap_or(u64::MAX));
            runs.n_turns += u64::from(!calls.is_empty());
            let tools = tools_of(&calls);
            let mut turn = Turn { index: runs.n_turns, expires, calls: calls.clone() };
            if runs.open.is_some() {
                // Another request of the session has begun to wait: the client is asked for one turn at a time.
                end_all(&mut turn, |_| wording::client::waits_already());
                runs.n_turns -= 1;
            }
            let index = turn.waits().then_some(turn.index);
            if turn.waits() {
                outputs.push(waiting(&turn));
                runs.open = Some(turn);
            } else if !turn.calls.is_empty() {
                outputs.push(ended(&turn));
            }
            runs.told.keep(request, index, &outputs, tools);
            if self.put(&runs, version).await? {
                return Ok(outputs);
            }
        }
        Err(contended())
    }

    /// Takes the client's answers.
    async fn answered(
        &self,
        built: &Built,
        inputs: Inputs,
        responses: Vec<ToolResponse>,
    ) -> Result<Vec<Value>, Problem> {
        let session = self.session(built, inputs.session, &Object::new()).await?;
        for _ in 0..ATTEMPTS {
            let (mut runs, version) = self.runs().await?;
            let now = self.gateway.sessions().milliseconds();
            if let Some(late) = runs.open.take_if(|turn| turn.expires <= now) {
                // Not stored: the next request reports how the turn ended.
                runs.remember(&late.calls, Past::Expired);
            }
            let open = runs.open.as_ref();
            let paired = responses.iter().cloned();
            let responses: Vec<_> =
                paired.map(|response| dialogflow::paired(response, open)).collect();
            let places = judged::places(&runs, open, &responses)?;
            let Some(mut turn) = runs.open.take() else {
                return Err(judged::with_pending(nothing_waits(), None));
            };
            let answers = places.into_iter().zip(&responses);
            self.taken(built, &session, &mut turn, answers).await?;
            self.remove(built, &mut turn);
            let (index, waits, tools) = (turn.index, turn.waits(), tools_of(&turn.calls));
            let output = if turn.waits() {
                let output = waiting(&turn);
                runs.open = Some(turn);
                output
            } else {
                runs.remember(&turn.calls, Past::Answered);
                let ended = ended(&turn);
                runs.told.end(index, &ended);
                ended
            };
            let outputs = std::slice::from_ref(&output);
            runs.told.keep(inputs.request.as_ref(), waits.then_some(index), outputs, tools);
            if self.put(&runs, version).await? {
                self.store(inputs.variables).await?;
                return Ok(vec![output]);
            }
        }
        Err(contended())
    }

    /// The state without a turn that no longer needs to wait, and the outputs of that turn.
    fn closed(&self, built: &Built, mut runs: Runs) -> (Runs, Vec<Value>) {
        let Some(mut turn) = runs.open.take() else { return (runs, Vec::new()) };
        let now = self.gateway.sessions().milliseconds();
        if turn.expires <= now {
            runs.remember(&turn.calls, Past::Expired);
            let time = built.sessions.client_time;
            end_all(&mut turn, |call| {
                let effect = built.executor.find(&call.tool).and_then(Entry::declaration);
                let effect = effect.map_or(Effect::Write, |tool| tool.effect);
                wording::client::unanswered(time, effect)
            });
        } else {
            let before = turn.calls.clone();
            self.remove(built, &mut turn);
            if turn.waits() {
                runs.open = Some(turn);
                return (runs, Vec::new());
            }
            runs.remember(&before, Past::Removed);
        }
        let ended = ended(&turn);
        runs.told.end(turn.index, &ended);
        (runs, vec![ended])
    }

    /// Ends the calls whose tools were removed.
    fn remove(&self, built: &Built, turn: &mut Turn) {
        for call in &mut turn.calls {
            if matches!(call.fate, Fate::Waits(..)) && !self.is_there(built, &call.tool) {
                end(call, wording::client::tool_removed(&call.tool));
            }
        }
    }

    /// True if the caller may read answers of a tool: they may use it, or it was removed.
    fn may_read(&self, tool: &str) -> bool {
        let built = self.gateway.built();
        built.executor.find(tool).is_none_or(|entry| self.caller.may_use(entry.toolset()))
    }

    fn is_there(&self, built: &Built, tool: &str) -> bool {
        built.executor.find(tool).is_some_and(|entry| self.caller.may_use(entry.toolset()))
    }

    async fn runs(&self) -> Result<(Runs, Option<Version>), Problem> {
        let principal = self.caller.principal.as_ref();
        let kept = self.gateway.sessions().runs(principal, &self.id).await?;
        let (value, version) = kept.unzip();
        let runs = value.map(|value| Runs::of(&value).ok_or_else(unreadable)).transpose()?;
        Ok((runs.unwrap_or_default(), version))
    }

    /// Stores the state in place of the version that was read; false if another request has changed it.
    async fn put(&self, runs: &Runs, version: Option<Version>) -> Result<bool, Problem> {
        let principal = self.caller.principal.as_ref();
        let expected = version.map_or(Expected::Absent, Expected::Version);
        let sessions = self.gateway.sessions();
        match sessions.put_runs(principal, &self.id, &runs.to_value(), expected).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores variables of the session.
    async fn store(&self, variables: Object) -> Result<(), Problem> {
        crate::sessions::store(&self.gateway, &self.caller, &self.id, variables).await
    }

    /// The session of the calls, with these variables stored in it.
    async fn session(
        &self,
        built: &Built,
        inline: Inline,
        variables: &Object,
    ) -> Result<Session, Problem> {
        let sessions = self.gateway.sessions();
        let stored = sessions.get(self.caller.principal.as_ref(), &self.id).await?;
        let mut context = self.context.clone();
        if stored.is_some() || !variables.is_empty() {
            let stored = stored.map(|(state, _)| state.parameters).unwrap_or_default();
            // Tools read the suite's `variables` as `$context.variables`.
            context.insert("variables", Value::Object(with_changes(stored, variables)));
        }
        // A run opens its session.
        let inline = inline.in_context(&context).changing(variables.clone()).opening();
        inline.completed(sessions, &built.sessions, &self.caller, &self.headers).await
    }
}

/// The tools of a turn's calls.
fn tools_of(calls: &[PendingCall]) -> Vec<String> {
    calls.iter().map(|call| call.tool.clone()).collect()
}

/// The calls of a message of Customer Engagement Suite.
pub(crate) fn read(built: &Built, caller: &Caller, message: Value) -> Result<ReadMessage, Problem> {
    read_in(Dialect::Ces, built, caller, message)
}

/// The calls of a message of a dialect.
fn read_in(
    dialect: Dialect,
    built: &Built,
    caller: &Caller,
    message: Value,
) -> Result<ReadMessage, Problem> {
    let entry = |name: &str| entry(built, caller, name);
    let read = dialect.read(message, |name| entry(name).and_then(Entry::declaration));
    let read = read.map_err(|error| malformed(error.to_string()))?;
    if !dialect.has_wire_names() {
        return Ok(read);
    }
    Ok(read.renamed(|call, name| {
        Some(entry(&call.tool)?.operation()?.argument_of(name)?.as_str().to_owned())
    }))
}

fn unexpected(id: &str, fault: &Fault) -> Problem {
    Problem::new(ProblemKind::UNEXPECTED_OUTPUT, format!("`{id}`: {}", fault.message))
}

fn nothing_waits() -> Problem {
    Problem::new(ProblemKind::UNKNOWN_CALL, "no call of this session waits")
}

fn contended() -> Problem {
    let detail = "other requests change this session all the time";
    let wait = std::time::Duration::from_secs(1);
    Problem::new(ProblemKind::UNAVAILABLE, detail).with_retry_after(wait)
}

fn unreadable() -> Problem {
    Problem::new(ProblemKind::UNAVAILABLE, "what is kept of the session's runs cannot be read")
}

/// The number of times that a change is retried while others change the session.
const ATTEMPTS: usize = 64;

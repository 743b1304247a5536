//! `POST /v1/sessions/{id}:run`: calls of a session in the form of Customer Engagement Suite. If the client runs one of
//! them, the session waits for the client's answer and keeps the other results until then. The state is one record of a
//! store, changed by compare-and-swap, so that only one of two answers to a call is accepted.

mod answer;
mod client_answers;
mod dialogflow;
mod form;
mod inputs;
mod outputs;
mod repetition;
mod turn;

use std::time::Duration;

use callgate_call::wording;
use callgate_dialect::{Dialect, ReadMessage};
use callgate_executor::Entry;
use callgate_gateway::{Problem, ProblemKind, RouteRequest, SessionInput};
use callgate_session::Version;
use callgate_tool::{Effect, Object, Session, Value};

use self::{
    form::RequestForm,
    inputs::{Inputs, ToolResponse},
    outputs::{
        end_waiting_calls, end_with_fault, ended_turn_output, pending_call, waiting_output,
        with_missing_ids,
    },
    repetition::Repeatable,
    turn::{PendingCall, Runs, WaitEnd, WaitingTurn},
};
pub(crate) use self::{
    form::is_of_dialogflow,
    inputs::tool_naming_members,
    outputs::{ces_response, unsent_call_result},
};
use crate::members::project_location_and_app;

/// One request to run something in a session.
#[derive(Debug)]
pub(crate) struct Run {
    request: RouteRequest,
    id: String,
}

impl Run {
    pub(crate) fn new(request: RouteRequest) -> Self {
        let id = request.path_parameter("id").to_owned();
        Self { request, id }
    }

    pub(crate) async fn answer_body(self, body: Value) -> Result<Value, Problem> {
        let form = RequestForm::from_body(&body);
        let repeatable = Repeatable::from_keyed_request(&self.request, &body)?;
        let mut inputs = match form {
            RequestForm::Ces => Inputs::from_body(body, &self.id)?,
            RequestForm::Dialogflow => dialogflow::read_inputs(body, &self.id)?,
        };
        let running = match &repeatable {
            Some(repeatable) => repeatable.begin_request(&self.request, &self.id).await?,
            None => None,
        };
        inputs.repeatable = repeatable;
        let outputs = self.request_outputs(form, inputs).await;
        if let Some(running) = running {
            running.free_key().await;
        }
        Ok(form.response_body(outputs?))
    }

    /// The outputs of a request: those that are kept of it, or new ones.
    async fn request_outputs(
        &self,
        form: RequestForm,
        mut inputs: Inputs,
    ) -> Result<Vec<Value>, Problem> {
        let Some(responses) = inputs.responses.take() else {
            return self.make_calls(form, inputs).await;
        };
        match self.read_kept_outputs(inputs.repeatable.as_ref()).await? {
            Some(outputs) => Ok(outputs),
            None => self.take_responses(inputs, responses).await,
        }
    }

    /// The outputs that are kept of a request.
    async fn read_kept_outputs(
        &self,
        repeatable: Option<&Repeatable>,
    ) -> Result<Option<Vec<Value>>, Problem> {
        let Some(repeatable) = repeatable else { return Ok(None) };
        self.read_runs().await?.0.kept.kept_response(repeatable, |tool| self.may_use_tool(tool))
    }

    async fn make_calls(&self, form: RequestForm, inputs: Inputs) -> Result<Vec<Value>, Problem> {
        let Inputs { calls, variables, session, execution, mut repeatable, .. } = inputs;
        let calls = match form {
            RequestForm::Ces => with_missing_ids(calls),
            RequestForm::Dialogflow => calls,
        };
        let read = read_message(&self.request, form.dialect(), form.calls_message(&calls))?;
        let session = self.load_session(session, &variables).await?;
        let requested = read.to_make();
        let to_run = self.request.calls(session, execution, requested.iter().copied().cloned())?;
        if repeatable.is_some() {
            let fingerprints = to_run.fingerprints();
            repeatable =
                repeatable.map(|repeatable| repeatable.with_call_fingerprints(&fingerprints));
        }
        if let Some(outputs) = self.read_kept_outputs(repeatable.as_ref()).await? {
            return Ok(outputs);
        }
        let (runs, _) = self.read_runs().await?;
        let index = runs.n_turns + 1;
        if let Some(open) = self.close_turn_unless_waiting(runs).runs.open {
            return Err(client_answers::paused_session_problem(&open));
        }
        self.request.change_parameters(&self.id, variables).await?;
        let results = to_run.run().await;
        let responses = form.tool_responses(form.dialect().write(&read, &results));
        let mut results = requested.into_iter().zip(&results);
        let calls = read.calls().iter().zip(&calls).zip(responses);
        let calls = calls.map(|((requested, call), response)| {
            let made = requested.call.is_ok().then(|| results.next()).flatten();
            let mut call = pending_call(form, call, made, &response);
            // The refusal of a call without a tool stays readable.
            if !self.may_use_tool(&call.tool) {
                call.tool.clear();
            }
            call
        });
        let calls: Vec<_> = calls.collect();
        match self.begin_turn(&calls, repeatable.as_ref()).await {
            // The calls were made, so their caller has to learn how they ended.
            Err(_) if !calls.is_empty() => Ok(vec![unkept_turn_output(index, calls)]),
            outputs => outputs,
        }
    }

    /// Keeps a turn whose calls have begun. Returns the outputs known so far.
    async fn begin_turn(
        &self,
        calls: &[PendingCall],
        repeatable: Option<&Repeatable>,
    ) -> Result<Vec<Value>, Problem> {
        for _ in 0..ATTEMPTS {
            let (runs, version) = self.read_runs().await?;
            let Closed { mut runs, mut outputs, mut tools } = self.close_turn_unless_waiting(runs);
            if calls.is_empty() && outputs.is_empty() {
                return Ok(outputs);
            }
            let time = self.request.served_build().sessions.client_time.as_millis();
            let time = u64::try_from(time).unwrap_or(u64::MAX);
            let expires = self.request.monotonic_milliseconds().saturating_add(time);
            runs.n_turns += u64::from(!calls.is_empty());
            let mut turn = WaitingTurn { index: runs.n_turns, expires, calls: calls.to_vec() };
            if runs.open.is_some() {
                // Another request of the session has begun to wait: the client is asked for one turn at a time.
                end_waiting_calls(&mut turn, |_| wording::client::waits_already());
                runs.n_turns -= 1;
            }
            let index = turn.is_waiting().then_some(turn.index);
            tools.extend(self.usable_shown_tools(&turn));
            if turn.is_waiting() {
                outputs.push(waiting_output(&turn));
                runs.open = Some(turn);
            } else if !turn.calls.is_empty() {
                outputs.push(ended_turn_output(&turn));
            }
            runs.kept.keep_response(repeatable, index, &outputs, tools);
            if self.put_runs(&runs, version).await? {
                return Ok(outputs);
            }
        }
        Err(contention_problem())
    }

    /// Takes the client's answers.
    async fn take_responses(
        &self,
        inputs: Inputs,
        responses: Vec<ToolResponse>,
    ) -> Result<Vec<Value>, Problem> {
        let session = self.load_session(inputs.session, &Object::new()).await?;
        for _ in 0..ATTEMPTS {
            let (mut runs, version) = self.read_runs().await?;
            let now = self.request.monotonic_milliseconds();
            if let Some(late) = runs.open.take_if(|turn| turn.expires <= now) {
                // Not stored: the next request reports how the turn ended.
                runs.remember_wait_end(&late.calls, WaitEnd::Expired);
            }
            let open = runs.open.as_ref();
            let responses = responses.iter().cloned();
            let responses: Vec<_> = responses
                .map(|response| dialogflow::with_waiting_call_id(response, open))
                .collect();
            let positions = client_answers::call_positions(&runs, open, &responses)?;
            let Some(mut turn) = runs.open.take() else {
                let problem = Problem::new(UNKNOWN_CALL, "no call of this session waits");
                return Err(client_answers::with_waiting_calls(problem, None));
            };
            self.end_calls(&session, &mut turn, positions.into_iter().zip(&responses)).await?;
            self.end_forbidden_calls(&mut turn);
            let (index, waits, tools) =
                (turn.index, turn.is_waiting(), self.usable_shown_tools(&turn));
            let output = if turn.is_waiting() {
                let output = waiting_output(&turn);
                runs.open = Some(turn);
                output
            } else {
                runs.remember_wait_end(&turn.calls, WaitEnd::Answered);
                let ended = ended_turn_output(&turn);
                runs.kept.put_turn_end(index, &ended, &tools);
                ended
            };
            let outputs = vec![output];
            let repeatable = inputs.repeatable.as_ref();
            runs.kept.keep_response(repeatable, waits.then_some(index), &outputs, tools);
            if self.put_runs(&runs, version).await? {
                self.request.change_parameters(&self.id, inputs.variables).await?;
                return Ok(outputs);
            }
        }
        Err(contention_problem())
    }

    /// Closes a turn that no longer needs to wait.
    fn close_turn_unless_waiting(&self, mut runs: Runs) -> Closed {
        let Some(mut turn) = runs.open.take() else { return Closed::without_outputs(runs) };
        if turn.expires <= self.request.monotonic_milliseconds() {
            runs.remember_wait_end(&turn.calls, WaitEnd::Expired);
            let built = self.request.served_build();
            end_waiting_calls(&mut turn, |call| {
                let tool = built.executor.find(&call.tool).and_then(Entry::declaration);
                let effect = tool.map_or(Effect::Write, |tool| tool.effect);
                wording::client::unanswered_call(built.sessions.client_time, effect)
            });
        } else {
            let before = turn.calls.clone();
            self.end_forbidden_calls(&mut turn);
            if turn.is_waiting() {
                runs.open = Some(turn);
                return Closed::without_outputs(runs);
            }
            runs.remember_wait_end(&before, WaitEnd::Removed);
        }
        let (ended, tools) = (ended_turn_output(&turn), self.usable_shown_tools(&turn));
        runs.kept.put_turn_end(turn.index, &ended, &tools);
        Closed { runs, outputs: vec![ended], tools }
    }

    /// Ends the waiting calls whose tools the caller may not use any more, and hides the results of the others.
    fn end_forbidden_calls(&self, turn: &mut WaitingTurn) {
        for call in &mut turn.calls {
            if call.tool.is_empty() || self.may_use_tool(&call.tool) {
                continue;
            }
            let fault = if call.is_waiting() {
                wording::client::tool_removed(&call.tool)
            } else {
                wording::turn::not_readable(&call.tool)
            };
            end_with_fault(call, fault);
        }
    }

    /// The tools of the calls that the output of a turn shows, as long as the caller may use them: a turn that waits shows the
    /// calls that its client runs, and no result.
    fn usable_shown_tools(&self, turn: &WaitingTurn) -> Vec<String> {
        let waits = turn.is_waiting();
        let shown = turn.calls.iter().filter(|call| !waits || call.is_waiting());
        shown.map(|call| call.tool.clone()).filter(|tool| self.may_use_tool(tool)).collect()
    }

    /// True if the caller may use the tool, and so may read answers of it.
    fn may_use_tool(&self, tool: &str) -> bool {
        let entry = self.request.served_build().executor.find(tool);
        entry.is_some_and(|entry| self.request.may_use(entry.toolset()))
    }

    async fn read_runs(&self) -> Result<(Runs, Option<Version>), Problem> {
        let (runs, version) = self.request.route_state::<Runs>(&self.id).await?.unzip();
        Ok((runs.unwrap_or_default(), version))
    }

    /// Stores the state in place of the version that was read; false if another request has changed it.
    async fn put_runs(&self, runs: &Runs, version: Option<Version>) -> Result<bool, Problem> {
        self.request.replace_state_if_unchanged(&self.id, runs, version).await
    }

    async fn load_session(
        &self,
        input: SessionInput,
        variables: &Object,
    ) -> Result<Session, Problem> {
        let mut context = project_location_and_app(&self.request);
        if let Some(stored) = self.request.changed_session_parameters(&self.id, variables).await? {
            // Tools read the suite's `variables` as `$context.variables`.
            context.insert("variables", Value::Object(stored));
        }
        // A run opens its session.
        let input = input
            .with_context_defaults(&context)
            .with_parameter_changes(variables.clone())
            .as_opening_session();
        self.request.session(input).await
    }
}

/// The state without a turn that no longer needs to wait, the outputs of that turn, and the tools of its results.
struct Closed {
    runs: Runs,
    outputs: Vec<Value>,
    tools: Vec<String>,
}

impl Closed {
    fn without_outputs(runs: Runs) -> Self {
        Self { runs, outputs: Vec::new(), tools: Vec::new() }
    }
}

/// The output of a turn that cannot be kept: the client is asked to run none of its calls.
fn unkept_turn_output(index: u64, calls: Vec<PendingCall>) -> Value {
    let mut turn = WaitingTurn { index, expires: 0, calls };
    end_waiting_calls(&mut turn, |_| wording::client::unkeepable_call());
    ended_turn_output(&turn)
}

pub(crate) fn read_message(
    request: &RouteRequest,
    dialect: Dialect,
    message: Value,
) -> Result<ReadMessage, Problem> {
    let read =
        dialect.read(message, |name| request.find_usable_tool(name).and_then(Entry::declaration));
    let read = read.map_err(|error| Problem::malformed_body(error.to_string()))?;
    Ok(read.with_renamed_arguments(|call, name| {
        Some(
            request
                .find_usable_tool(&call.tool)?
                .operation()?
                .argument_for_wire_name(name)?
                .as_str()
                .to_owned(),
        )
    }))
}

fn contention_problem() -> Problem {
    let detail = "other requests change this session all the time";
    Problem::new(ProblemKind::UNAVAILABLE, detail).with_retry_after(Duration::from_secs(1))
}

const NEEDS_MODEL: ProblemKind = ProblemKind::new("needs-model", 400, "The input needs a model");
const UNKNOWN_CALL: ProblemKind = ProblemKind::new("unknown-call", 409, "No such call waits");
/// The number of times that a change is retried while others change the session.
const ATTEMPTS: usize = 64;

//! Runs the open calls: reads together, writes in the order of the message, and nothing before what waits for somebody.

use std::ops::ControlFlow;

use callgate_call::wording::turn as wording;
use callgate_config::AgentParallel as Parallel;
use callgate_executor::{Call, Entry, Executor, Stage};
use callgate_policy::{Confirm, TurnId};
use callgate_tool::{Effect, Outcome, ToolCall, ToolResult};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
use tokio::time::Instant;

use super::RunningTurn;
use crate::{
    agent::Agent,
    context::{TurnContext, TurnEvent},
    end::{End, EndReason},
    error::Error,
    transcript::{CallState, Open, Waiting, failed_result},
};

/// What a call needs of its turn, apart from the transcript.
#[derive(Clone, Copy)]
pub(super) struct Caller<'t> {
    agent: &'t Agent,
    pub(super) executor: &'t Executor,
    context: &'t TurnContext,
    turn: TurnId,
    confirm: Confirm,
    deadline: Instant,
}

impl<'t> Caller<'t> {
    /// A call of the turn.
    pub(super) fn call<'c>(&self, asked: &'c ToolCall) -> Call<'c>
    where
        't: 'c,
    {
        let rights = self.agent.rights(self.context);
        self.context.call(asked, rights, self.confirm, self.deadline).with_extension(self.turn)
    }

    fn effect_or_write(self, call: &ToolCall) -> Effect {
        self.executor.find(&call.tool).map_or(Effect::Write, Entry::effect)
    }

    /// True if a person is asked about a call before it is made.
    fn asks_person(self, call: &ToolCall) -> bool {
        match self.confirm {
            Confirm::Never => false,
            Confirm::Always => true,
            _ => self.effect_or_write(call) != Effect::Read,
        }
    }

    async fn run_call(self, call: &ToolCall) -> ToolResult {
        if self.asks_person(call) && !self.executor.has_stage(Stage::Approval) {
            return *failed_result(call, wording::no_approvals());
        }
        self.executor.call_with(self.call(call)).await
    }
}

impl<'t> RunningTurn<'t> {
    pub(super) fn caller(&self) -> Caller<'t> {
        let agent = self.agent;
        let (executor, confirm) = (&agent.executor, agent.settings.confirm);
        let (context, turn, deadline) = (self.context, self.id, self.deadline);
        Caller { agent, executor, context, turn, confirm, deadline }
    }

    /// Runs the open calls. Returns the end of the turn, or `None` once all of them have results.
    pub(super) async fn run_calls(&mut self) -> Option<End> {
        while let Some(segment) = self.next_runnable_calls() {
            if self.is_cancelled() {
                return Some(self.end_as_cancelled());
            }
            if let Err(error) = self.mark_begun_and_keep(&segment).await {
                return Some(self.end_early(EndReason::Cancelled, error.to_string()));
            }
            self.run_segment(&segment).await;
        }
        let open = self.transcript.open.as_ref()?;
        if !open.has_all_results() {
            let is_cancelled = self.is_cancelled();
            let is_waiting = open.waiting_calls().next().is_some();
            return Some(if is_waiting && !is_cancelled {
                self.end(EndReason::Waiting, None, String::new())
            } else {
                self.end_as_cancelled()
            });
        }
        self.transcript.close_open_calls();
        if let Err(error) = self.keep_transcript().await {
            return Some(self.end_early(EndReason::Cancelled, error.to_string()));
        }
        let rounds = self.context.rounds.clone()?;
        match rounds.after(&self.current_round()).await {
            ControlFlow::Break(reason) => Some(self.end_early(EndReason::Cancelled, reason)),
            ControlFlow::Continue(()) => None,
        }
    }

    /// Marks calls as running. Whoever finds the transcript after a crash knows which calls may have been made.
    async fn mark_begun_and_keep(&mut self, segment: &[(usize, ToolCall)]) -> Result<(), Error> {
        if let Some(open) = &mut self.transcript.open {
            open.mark_begun(segment);
        }
        let kept = self.keep_transcript().await;
        if let (Err(_), Some(open)) = (&kept, &mut self.transcript.open) {
            open.mark_held(segment);
        }
        kept
    }

    async fn run_segment(&mut self, segment: &[(usize, ToolCall)]) {
        let caller = self.caller();
        let made = |(at, call): &'_ (usize, ToolCall)| (*at, call.clone());
        let mut running = Vec::with_capacity(segment.len());
        for (at, call) in segment.iter().map(made) {
            self.context.show_event(TurnEvent::Call(&call));
            let future: BoxFuture<'_, _> =
                async move { (at, caller.run_call(&call).await, call) }.boxed();
            running.push(future);
        }
        let mut running = stream::iter(running).buffer_unordered(PARALLEL_CALLS);
        while let Some((at, result, call)) = running.next().await {
            self.note_result(at, &call, result).await;
        }
    }

    /// Notes how a call ended.
    pub(super) async fn note_result(&mut self, at: usize, call: &ToolCall, mut result: ToolResult) {
        self.count_tool_tokens(&result).await;
        // What a write did stands in its result; the next equal one is not made.
        let is_read = self.caller().effect_or_write(call) == Effect::Read;
        if !matches!(result.outcome, Outcome::Pending(_))
            && let Some(n_times) = self.repetition.count_equal_result(call, &result, self.n_rounds)
            && is_read
        {
            result.outcome = Outcome::Failed(wording::repeated_result(n_times));
        }
        self.context.show_event(TurnEvent::Result(&result));
        let state = if let Outcome::Pending(pending) = result.outcome {
            CallState::Waits(Waiting::Pending(pending))
        } else {
            CallState::Ended(Box::new(result))
        };
        if let Some(open) = &mut self.transcript.open {
            open.set_state(at, state);
        }
    }

    /// The next calls that may run together; `None` if none is left, or if those that are left come after one that waits.
    fn next_runnable_calls(&self) -> Option<Vec<(usize, ToolCall)>> {
        let caller = self.caller();
        let open = self.transcript.open.as_ref()?;
        let held = unbegun_calls(open);
        let is_read = |(_, call): &&(usize, ToolCall)| caller.effect_or_write(call) == Effect::Read;
        let n_together = match self.agent.settings.parallel {
            Parallel::All => held.len(),
            Parallel::One => 1,
            Parallel::Reads => held.iter().take_while(is_read).count().max(1),
        };
        let mut segment = held;
        segment.truncate(n_together);
        let is_behind =
            self.agent.settings.parallel != Parallel::All && open.waiting_calls().next().is_some();
        // A call that asks a person is not made yet, so its order is not at stake.
        let may_run = !is_behind || segment.iter().all(|(_, call)| caller.asks_person(call));
        (may_run && !segment.is_empty()).then_some(segment)
    }
}

fn unbegun_calls(open: &Open) -> Vec<(usize, ToolCall)> {
    let held = open.valid_calls().filter(|(at, _)| open.is_held(*at));
    held.map(|(at, call)| (at, call.clone())).collect()
}

/// The calls of one message that run at the same time.
const PARALLEL_CALLS: usize = 64;

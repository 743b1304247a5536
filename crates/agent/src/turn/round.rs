//! One request to the model, and its reply: words, which end the turn, or calls.

use std::{ops::ControlFlow, time::Duration};

use callgate_call::wording::turn as wording;
use callgate_config::AgentCalls as Calls;
use callgate_tool::ToolCall;
use tokio::time::Instant;

use super::{RunningTurn, tokens::DeliveredWords};
use crate::{
    choice::Choice,
    context::TurnEvent,
    end::{End, EndReason},
    model::ModelFailure,
    transcript::{CallState, Open, PastCall, failed_result, read_group_calls, tool_result},
    wire::{Ask, Reply, Stop, Unreadable, amend_messages, drop_duplicate_calls},
};

impl RunningTurn<'_> {
    /// Asks the model. Returns the end of the turn, or `None` if it goes on.
    pub(super) async fn run_round(&mut self) -> Option<End> {
        if self.is_cancelled() {
            return Some(self.end_as_cancelled());
        }
        if let Some(rounds) = self.context.rounds.clone()
            && let ControlFlow::Break(reason) = rounds.before(&self.current_round()).await
        {
            return Some(self.end_early(EndReason::Cancelled, reason));
        }
        if let Some(end) = self.end_if_over_budget().await {
            return Some(end);
        }
        self.check_limits();
        if let Some(closing) = self.closing.as_mut().filter(|closing| !closing.is_said) {
            closing.is_said = true;
            let words = wording::last_round_notice(&closing.detail);
            self.transcript.add_user(&words);
        }
        self.offered.read_named_tools(&self.transcript.messages);
        self.delivered = DeliveredWords::default();
        let stop = self.context.stop.clone();
        let replied = tokio::select! {
            biased;
            replied = self.request_reply() => replied,
            () = stop.wait_for_stop() => {
                self.count_request().await;
                return Some(self.end_as_cancelled());
            }
        };
        match replied {
            Ok(reply) => {
                self.count_reply(&reply).await;
                self.handle_reply(reply)
            }
            // A reply that comes without a pause is seen before the stop.
            Err(_) if stop.is_stopped() => {
                self.count_failed_if_shown().await;
                Some(self.end_as_cancelled())
            }
            Err(failure) => {
                self.count_failed_if_shown().await;
                Some(self.end_after_failure(failure))
            }
        }
    }

    async fn request_reply(&self) -> Result<Reply, ModelFailure> {
        let agent = self.agent;
        let choice = match &agent.settings.choice {
            _ if self.closing.is_some() => &Choice::None,
            Choice::Required | Choice::Tool(_) if !self.is_first => &Choice::Auto,
            choice => choice,
        };
        let mut tools = self.offered.declarations();
        let lacks_tools = tools.is_empty() && self.transcript.wire.rules.needs_tools;
        let stand_in = if lacks_tools && self.transcript.has_calls() {
            self.offered.stand_in_declarations()
        } else {
            Vec::new()
        };
        tools.extend(&stand_in);
        let may_read = |past: &PastCall<'_>| self.offered.may_read_result(past, &self.earlier);
        let messages = self.transcript.readable_messages(&may_read);
        let ask = Ask {
            model: agent.model.name(),
            instructions: &self.instructions,
            messages: &messages,
            tools: &tools,
            choice,
            settings: agent.model.settings(),
            is_streamed: agent.model.is_streamed(),
        };
        let show = |event: TurnEvent<'_>| {
            self.delivered.count_event(event);
            self.context.show_event(event);
        };
        let last = Instant::now() + LAST_ANSWER;
        let deadline = if self.closing.is_some() { last.max(self.deadline) } else { self.deadline };
        agent.model.request_reply(&ask, deadline, &show).await
    }

    fn end_after_failure(&mut self, failure: ModelFailure) -> End {
        let is_limit = failure.is_overflow || Instant::now() >= self.deadline;
        let reason = if is_limit {
            EndReason::Limit
        } else if failure.is_refusal {
            EndReason::Refused
        } else {
            EndReason::ModelFailed
        };
        let closing = self.closing.take();
        let mut end = self.end_early(reason, failure.message);
        if let Some(closing) = closing {
            // Why no answer came matters less than why the turn had to end.
            end.detail = end.detail.map(|detail| format!("{} {detail}", closing.detail));
            end.reason = closing.reason;
        }
        end
    }

    fn handle_reply(&mut self, mut reply: Reply) -> Option<End> {
        self.n_rounds += 1;
        self.is_first = false;
        if let Stop::Refused(detail) = reply.stop {
            return Some(self.end_early(EndReason::Refused, detail));
        }
        self.before_input = None;
        if reply.is_empty {
            return Some(self.end_with_reply(reply));
        }
        let n_before = self.transcript.messages.len();
        let id = |at: usize| format!("call_{n_before}_{at}");
        let wire = self.transcript.wire;
        let messages = drop_duplicate_calls(wire, reply.messages);
        reply.messages = amend_messages(wire, messages, Unreadable::Keep, id);
        let declared = |name: &str| self.offered.declared_tool(name);
        let read = match read_group_calls(wire, &reply.messages, declared) {
            Ok(read) => read,
            Err(error) => {
                let detail = format!("the reply of the model cannot be read: {error}");
                return Some(self.end_early(EndReason::ModelFailed, detail));
            }
        };
        reply.messages = amend_messages(wire, reply.messages, Unreadable::Replace, id);
        self.transcript.messages.extend(reply.messages.iter().cloned());
        match (read.calls().is_empty(), &reply.stop) {
            (false, _) => self.take_reply_calls(Open::new(read), reply),
            (true, Stop::Paused) => None,
            (true, _) => Some(self.end_with_reply(reply)),
        }
    }

    /// The end of a turn by words of the model.
    fn end_with_reply(&self, reply: Reply) -> End {
        let (reason, detail) = match (&self.closing, &reply.stop) {
            (Some(closing), _) => (closing.reason, Some(closing.detail.clone())),
            (None, Stop::Length) => {
                (EndReason::Limit, Some("the reply reached its most tokens".to_owned()))
            }
            (None, _) if reply.is_empty => {
                (EndReason::Answered, Some("the model answered nothing".to_owned()))
            }
            _ => (EndReason::Answered, None),
        };
        self.end(reason, detail, reply.text)
    }

    /// Takes the calls of a reply: refuses those that are not made, and leaves the others open.
    fn take_reply_calls(&mut self, mut open: Open, reply: Reply) -> Option<End> {
        if let Some(closing) = self.closing.clone() {
            open.end_unanswered(|_| wording::not_allowed());
            self.transcript.open = Some(open);
            self.transcript.close_open_calls();
            return Some(self.end(closing.reason, Some(closing.detail), reply.text));
        }
        self.n_cut = if reply.stop == Stop::Length { self.n_cut + 1 } else { 0 };
        if reply.stop == Stop::Length {
            open.end_unanswered(|_| wording::incomplete());
            if self.n_cut >= self.agent.settings.limits.same {
                let detail =
                    "The reply reached its most tokens in the middle of a call, again and again.";
                self.schedule_last_reply(EndReason::Limit, detail);
            }
        } else if self.agent.settings.choice == Choice::None {
            open.end_unanswered(|_| wording::not_allowed());
        } else {
            self.settle_calls_not_to_make(&mut open);
        }
        if self.agent.settings.calls == Calls::Manual {
            open.mark_awaiting_results();
        }
        self.transcript.open = Some(open);
        None
    }

    /// Refuses calls of tools that are not offered, beyond the limit, and those that gave the same again and again.
    fn settle_calls_not_to_make(&mut self, open: &mut Open) {
        let calls: Vec<(usize, ToolCall)> =
            open.valid_calls().map(|(at, call)| (at, call.clone())).collect();
        let most = self.agent.settings.limits.calls;
        for (at, call) in calls {
            if let Some(outcome) = self.offered.search_outcome(&call) {
                open.set_state(at, CallState::Ended(tool_result(&call, outcome)));
                continue;
            }
            let fault = if self.offered.find_offered(&call.tool).is_none() {
                self.offered.unknown_tool_fault(&call.tool)
            } else if self.repetition.is_repeated_too_often(&call) {
                let detail = format!(
                    "`{}` was called with the same arguments and gave the same result again and again.",
                    call.tool
                );
                self.schedule_last_reply(EndReason::Repeated, detail);
                wording::repeated_again()
            } else if self.n_calls >= most {
                self.schedule_last_reply(
                    EndReason::Limit,
                    format!("The {most} calls of this turn are used up."),
                );
                wording::no_calls_left()
            } else {
                self.n_calls += 1;
                continue;
            };
            open.set_state(at, CallState::Ended(failed_result(&call, fault)));
        }
    }
}

/// The time for the last answer, if the time of the turn is over.
const LAST_ANSWER: Duration = Duration::from_secs(30);

//! The run of a program that goes on after a wait: until it has repeated what was recorded, it gets the recorded answers, and nothing is
//! sent. Code that asks another call than it did has diverged.

use callgate_executor::Resumption;
use callgate_tool::{Pending, PendingKind};

use super::{Asked, Halt, Program, calls::Meant, sign_in};
use crate::{
    journal::{CallState, Event},
    message::{Meaning, Name},
    outcome::{Ended, interrupted_call_exception},
};

impl Program<'_> {
    /// True if every recorded event was repeated.
    pub(super) fn has_repeated_all(&self) -> bool {
        self.n_repeated >= self.n_recorded
    }

    /// The meaning of a name: as the first run saw it.
    pub(super) fn recorded_or_new_meaning(&mut self, name: &Name) -> Meaning {
        let text = name.dotted_name();
        if let Some(meaning) = self.journal.names.get(&text) {
            return meaning.clone();
        }
        let meaning = self.functions.meaning(name);
        self.journal.add_name(text, meaning.clone());
        meaning
    }

    /// Takes up, once, what an earlier run left: calls that were decided, calls that were not sent, and writes whose end nobody knows.
    pub(super) async fn resume_unfinished_calls(&mut self) -> Result<(), Halt> {
        if self.has_caught_up {
            return Ok(());
        }
        self.has_caught_up = true;
        let mut is_doubtful = false;
        for number in 0..self.journal.calls.len() {
            let is_delivered = self.journal.events.contains(&Event::Delivered(number));
            let Some(call) = self.journal.calls.get(number) else { break };
            match &call.state {
                CallState::Ended(..) if is_delivered => {}
                CallState::Ended(..) => self.ready.push_back(number),
                CallState::Asked => self.queue_unanswered_call(number),
                CallState::Waiting(pending) if is_resumed(self.resumption, pending) => {
                    match sign_in::sign_in_refusal(self.resumption, pending) {
                        Some((ended, raised)) => self.end_call(number, ended, Err(raised)),
                        None => self.queue_unanswered_call(number),
                    }
                }
                CallState::Waiting(_) => {}
                CallState::Begun => {
                    is_doubtful = true;
                    let (answer, ended) = interrupted_call_exception();
                    self.journal.end_call(number, ended, Err(answer));
                    self.ready.push_back(number);
                }
            }
        }
        if is_doubtful {
            // The exception is part of the program from now on.
            self.keep_journal().await?;
        }
        Ok(())
    }

    /// The number of the call whose answer the code gets next.
    pub(super) fn next_answered_call(&mut self) -> Result<Option<usize>, Halt> {
        match self.journal.events.get(self.n_repeated) {
            Some(Event::Delivered(number)) => {
                let number = *number;
                self.n_repeated += 1;
                Ok(Some(number))
            }
            Some(Event::Asked(_)) => Err(self.divergence_error()),
            // Nothing goes on before all are decided.
            None if self.journal.waiting_calls().next().is_some() => Ok(None),
            None => {
                let number = self.ready.pop_front();
                if let Some(number) = number {
                    self.journal.events.push(Event::Delivered(number));
                    self.n_repeated += 1;
                }
                Ok(number)
            }
        }
    }

    /// True unless the code asked for a call before it got another answer.
    pub(super) fn is_next_event_answer(&self) -> bool {
        !matches!(self.journal.events.get(self.n_repeated), Some(Event::Asked(_)))
    }

    /// Compares a call with the recorded one.
    pub(super) fn check_repeated_call(&mut self, number: u64, asked: &Asked) -> Result<(), Halt> {
        let Some(Event::Asked(recorded)) = self.journal.events.get(self.n_repeated) else {
            return Err(self.divergence_error());
        };
        let call = self.journal.calls.get(*recorded);
        let is_same = *recorded as u64 == number
            && call.is_some_and(|call| {
                call.name == asked.name
                    && call.positional == asked.positional
                    && call.named == asked.named
            });
        if !is_same {
            return Err(self.divergence_error());
        }
        self.n_repeated += 1;
        Ok(())
    }

    /// A program that ends before it has repeated what was recorded is another one.
    pub(super) fn check_no_early_end(&self) -> Result<(), Halt> {
        if self.has_repeated_all() { Ok(()) } else { Err(self.divergence_error()) }
    }

    fn divergence_error(&self) -> Halt {
        let number = self.n_repeated.saturating_add(1);
        Halt::Error(format!(
            "diverged: run again, the program did something else at step {number} than before its call waited; nothing was sent; writes already made: {}",
            self.journal.writes_text()
        ))
    }

    /// A call of an earlier run that ended without an answer.
    pub(super) fn queue_unanswered_call(&mut self, number: usize) {
        let Some(call) = self.journal.calls.get(number) else { return };
        let asked = Asked {
            name: call.name.clone(),
            positional: call.positional.clone(),
            named: call.named.clone(),
        };
        match self.tool_call(number, asked) {
            Ok(Meant::Call(call)) => self.queue.push(number, call),
            Ok(Meant::Value(value)) => {
                self.journal.end_call(number, Ended::Answered, Ok(value));
                self.ready.push_back(number);
            }
            Err(raised) => {
                let ended = Ended::unsent_failure_from(&raised);
                self.journal.end_call(number, ended, Err(raised));
                self.ready.push_back(number);
            }
        }
    }
}

/// True if this goes on with the call that waits: somebody has decided, the client has answered, or the user has signed in.
pub(crate) fn is_resumed(resumption: Option<&Resumption>, waiting: &Pending) -> bool {
    resumption.is_some_and(|it| {
        let is_answered = waiting.kind == PendingKind::Approval || it.answer.is_some();
        (it.pending == waiting.id && is_answered) || sign_in::is_tried_again(it, waiting)
    })
}

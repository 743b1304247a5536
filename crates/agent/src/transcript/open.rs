//! The calls of a model's last message, each with what is known of it. A call that runs is marked before it begins, so that
//! whoever finds it later knows that its service may have been reached.

use callgate_call::wording::turn as wording;
use callgate_dialect::ReadMessage;
use callgate_tool::{
    Fault, Journal, Json, Outcome, Pending, PendingKind, ToolCall, ToolResult, Value,
};

use crate::wire::Wire;

/// The open calls of a message.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) read: ReadMessage,
    /// One for each call of the message.
    pub(crate) states: Vec<CallState>,
}

/// What is known of one call.
#[derive(Clone, Debug)]
pub(crate) enum CallState {
    /// It runs, or ran when its program ended.
    Begun,
    /// It has its result.
    Ended(Box<ToolResult>),
    /// Nothing was done yet.
    Held,
    /// It waits for somebody.
    Waits(Waiting),
    /// It has its result, in the words of the dialect.
    Written(Value),
}

/// Why a call waits.
#[derive(Clone, Debug)]
pub(crate) enum Waiting {
    /// For its client or an approval.
    Pending(Box<Pending>),
    /// For its result: the caller of the turn makes the calls.
    Result,
}

impl Waiting {
    /// True if somebody else was asked to run the call, or if it runs a program that has begun.
    fn may_be_executed(&self) -> bool {
        match self {
            Self::Pending(pending) => {
                pending.kind == PendingKind::Client || pending.is_of_program()
            }
            Self::Result => true,
        }
    }
}

impl Open {
    /// The calls of a message that was just read: those that cannot be made have their results.
    pub(crate) fn new(read: ReadMessage) -> Self {
        let state = |asked: &callgate_dialect::ReadCall| match &asked.call {
            Ok(_) => CallState::Held,
            Err(ended) => CallState::Ended(ended.clone()),
        };
        let states = read.calls().iter().map(state).collect();
        Self { read, states }
    }

    /// The calls that can be made, with their positions.
    pub(crate) fn valid_calls(&self) -> impl Iterator<Item = (usize, &ToolCall)> {
        let calls = self.read.calls().iter().enumerate();
        calls.filter_map(|(at, asked)| Some((at, asked.call.as_ref().ok()?)))
    }

    /// The call at a position, if it can be made.
    pub(crate) fn valid_call(&self, at: usize) -> Option<&ToolCall> {
        self.read.calls().get(at)?.call.as_ref().ok()
    }

    pub(crate) fn has_result(&self, at: usize) -> bool {
        self.states.get(at).is_some_and(is_answered)
    }

    /// The calls that wait, with their positions.
    pub(crate) fn waiting_calls(&self) -> impl Iterator<Item = (usize, &ToolCall, &Waiting)> {
        self.valid_calls().filter_map(|(at, call)| match self.states.get(at)? {
            CallState::Waits(waiting) => Some((at, call, waiting)),
            _ => None,
        })
    }

    /// The first call that waits under an id, apart from those at some positions: a model may use an id twice.
    pub(crate) fn find_waiting_call(
        &self,
        id: &str,
        answered: &[usize],
    ) -> Option<(usize, &ToolCall, &Waiting)> {
        self.waiting_calls().find(|(at, call, _)| call.id == id && !answered.contains(at))
    }

    pub(crate) fn set_state(&mut self, at: usize, state: CallState) {
        if let Some(slot) = self.states.get_mut(at) {
            *slot = state;
        }
    }

    /// Marks calls as running.
    pub(crate) fn mark_begun(&mut self, calls: &[(usize, ToolCall)]) {
        for (at, _) in calls {
            self.set_state(*at, CallState::Begun);
        }
    }

    /// Marks calls as not begun after all.
    pub(crate) fn mark_held(&mut self, calls: &[(usize, ToolCall)]) {
        for (at, _) in calls {
            self.set_state(*at, CallState::Held);
        }
    }

    /// Lets the calls that nothing was done about wait for the results of the turn's caller.
    pub(crate) fn mark_awaiting_results(&mut self) {
        for state in self.states.iter_mut().filter(|state| matches!(state, CallState::Held)) {
            *state = CallState::Waits(Waiting::Result);
        }
    }

    pub(crate) fn is_held(&self, at: usize) -> bool {
        matches!(self.states.get(at), Some(CallState::Held))
    }

    /// True if the call at a position waits for a person, who is asked about a call of its program.
    pub(crate) fn needs_program_approval(&self, at: usize) -> bool {
        let state = self.states.get(at);
        matches!(state, Some(CallState::Waits(Waiting::Pending(pending))) if pending.is_of_program())
    }

    /// True if every call has its result.
    pub(crate) fn has_all_results(&self) -> bool {
        self.states.iter().all(is_answered)
    }

    /// Ends each call without a result with a fault.
    pub(crate) fn end_unanswered(&mut self, fault: impl Fn(&ToolCall) -> Box<Fault>) {
        let calls: Vec<_> = self.valid_calls().map(|(at, call)| (at, call.clone())).collect();
        for (at, call) in calls {
            if let Some(CallState::Held | CallState::Waits(_)) = self.states.get(at) {
                let fault = fault(&call);
                self.set_state(at, CallState::Ended(failed_result(&call, fault)));
            }
        }
    }

    /// Ends each call without a result, because the user went on.
    pub(crate) fn skip_unanswered(&mut self) {
        let calls: Vec<_> = self.valid_calls().map(|(at, call)| (at, call.clone())).collect();
        for (at, call) in calls {
            let fault = match self.states.get(at) {
                Some(CallState::Waits(waiting)) if waiting.may_be_executed() => {
                    wording::passed_over_running()
                }
                Some(CallState::Held | CallState::Waits(_)) => wording::passed_over(),
                _ => continue,
            };
            self.set_state(at, CallState::Ended(failed_result(&call, fault)));
        }
    }

    /// The messages that answer all calls.
    pub(crate) fn into_answer_messages(mut self, wire: Wire) -> Vec<Json> {
        let calls: Vec<_> = self.valid_calls().map(|(at, call)| (at, call.clone())).collect();
        for (at, call) in calls {
            let fault = match self.states.get(at) {
                Some(CallState::Begun) => wording::cut_off(),
                Some(CallState::Held | CallState::Waits(_)) => wording::not_begun(),
                _ => continue,
            };
            self.set_state(at, CallState::Ended(failed_result(&call, fault)));
        }
        let states = std::mem::take(&mut self.states).into_iter().map(|state| match state {
            CallState::Ended(result) => (Some(*result), None),
            CallState::Written(piece) => (None, Some(piece)),
            _ => (None, None),
        });
        let (mut results, written): (Vec<_>, Vec<_>) = states.unzip();
        let result =
            |(at, call): (usize, &ToolCall)| match results.get_mut(at).and_then(Option::take) {
                Some(result) => ToolResult { id: call.id.clone(), ..result },
                None => *failed_result(call, wording::not_begun()),
            };
        let results: Vec<_> = self.valid_calls().map(result).collect();
        let pieces = answer_parts(wire, wire.dialect.write(&self.read, &results));
        let pieces = written.into_iter().zip(pieces).map(|(kept, piece)| kept.unwrap_or(piece));
        answer_messages(wire, pieces.collect())
    }

    /// An answer for every call, as its dialect writes it; those of calls without a result say nothing of them.
    pub(crate) fn answers_or_placeholders(&self, wire: Wire) -> Vec<Value> {
        let result = |(at, call): (usize, &ToolCall)| match self.states.get(at) {
            Some(CallState::Ended(result)) => {
                ToolResult { id: call.id.clone(), ..(**result).clone() }
            }
            // Only fills the place of a call whose answer is not used.
            _ => *failed_result(call, wording::not_begun()),
        };
        let results: Vec<_> = self.valid_calls().map(result).collect();
        answer_parts(wire, wire.dialect.write(&self.read, &results))
    }

    /// The answer of each call that has one, as its dialect writes it.
    pub(crate) fn answer_pieces(&self, wire: Wire) -> Vec<Option<Value>> {
        let written = self.answers_or_placeholders(wire);
        let piece = |(state, written): (&CallState, Value)| match state {
            CallState::Ended(_) => Some(written),
            CallState::Written(piece) => Some(piece.clone()),
            _ => None,
        };
        self.states.iter().zip(written).map(piece).collect()
    }
}

fn is_answered(state: &CallState) -> bool {
    matches!(state, CallState::Ended(_) | CallState::Written(_))
}

pub(crate) fn failed_result(call: &ToolCall, fault: Box<Fault>) -> Box<ToolResult> {
    tool_result(call, Outcome::Failed(fault))
}

pub(crate) fn tool_result(call: &ToolCall, outcome: Outcome) -> Box<ToolResult> {
    let (id, tool) = (call.id.clone(), call.tool.clone());
    Box::new(ToolResult { id, tool, outcome, journal: Journal::default() })
}

/// The answers of single calls in messages of a dialect.
fn answer_parts(wire: Wire, messages: Vec<Value>) -> Vec<Value> {
    let Some(member) = wire.rules.parts else { return messages };
    let parts =
        messages.into_iter().filter_map(|mut message| message.get_mut(member).map(Value::take));
    let lists =
        parts.filter_map(|parts| if let Value::Array(parts) = parts { Some(parts) } else { None });
    lists.flatten().collect()
}

/// The messages of answers: one message for all, where the dialect wants one.
pub(crate) fn answer_messages(wire: Wire, pieces: Vec<Value>) -> Vec<Json> {
    let Some(member) = wire.rules.parts else {
        return pieces.into_iter().map(Json::from).collect();
    };
    if pieces.is_empty() {
        return Vec::new();
    }
    let mut message = callgate_tool::json!({"role": "user"});
    if let Some(members) = message.as_object_mut() {
        members.insert(member, Value::Array(pieces));
    }
    vec![message.into()]
}

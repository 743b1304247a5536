//! The part of a conversation that its caller may read. Results of tools that the caller may not use any more become faults; their
//! calls stay, so that the messages can be sent. What is kept does not change.

use std::{borrow::Cow, cell::RefCell};

use callgate_tool::{Json, Value};

use super::{
    CallState, Transcript,
    repair::{MayRead, PastCall, Repairer, hidden_result},
};

/// The results that are there when a turn begins.
#[derive(Clone, Debug)]
pub(crate) struct EarlierResults {
    /// The number of messages whose calls are all answered.
    n_closed: usize,
    /// The places of the open calls that are answered.
    answered: Vec<usize>,
}

impl EarlierResults {
    pub(crate) fn from_transcript(transcript: &Transcript) -> Self {
        let open = transcript.open.as_ref();
        let n_calls = open.map_or(0, |open| open.states.len());
        let is_answered = |place: &usize| open.is_some_and(|open| open.has_result(*place));
        Self {
            n_closed: transcript.open_position(),
            answered: (0..n_calls).filter(is_answered).collect(),
        }
    }

    /// True if the result was there before the turn.
    pub(crate) fn has_result_of(&self, call: &PastCall<'_>) -> bool {
        let (message, place) = call.at;
        message < self.n_closed || (message == self.n_closed && self.answered.contains(&place))
    }
}

impl Transcript {
    /// The messages as a model gets them: without the results that `may_read` refuses. Messages that the caller brought are the
    /// caller's own.
    pub(crate) fn readable_messages(&self, may_read: &MayRead<'_>) -> Cow<'_, [Json]> {
        let (brought, own) = self.messages.split_at(self.n_brought.min(self.messages.len()));
        let mut repairer = Repairer::new(self.wire, may_read);
        repairer.at = brought.len();
        repairer.add_repaired_messages(own.to_vec());
        match repairer.n_hidden {
            0 => Cow::Borrowed(&self.messages),
            _ => [brought, &repairer.done].concat().into(),
        }
    }

    /// Shows each result of the conversation, but for those that the caller brought.
    pub(crate) fn visit_results(&self, show: &mut dyn FnMut(&PastCall<'_>)) {
        let show = RefCell::new(show);
        self.readable_messages(&|past: &PastCall<'_>| {
            (show.borrow_mut())(past);
            true
        });
        let at = self.open_position();
        let Some(open) = &self.open else { return };
        for place in (0..open.states.len()).filter(|place| open.has_result(*place)) {
            let Some(call) = open.valid_call(place) else { continue };
            (show.borrow_mut())(&PastCall {
                at: (at, place),
                tool: &call.tool,
                result: &Value::Null,
            });
        }
    }

    /// The transcript as its caller gets it, without the results that `may_read` refuses.
    pub(crate) fn into_readable(mut self, may_read: &MayRead<'_>) -> Self {
        let at = self.open_position();
        if let Cow::Owned(messages) = self.readable_messages(may_read) {
            self.messages = messages;
        }
        let Some(open) = &mut self.open else { return self };
        for place in 0..open.states.len() {
            let Some(call) = open.valid_call(place).filter(|_| open.has_result(place)) else {
                continue;
            };
            let past = PastCall { at: (at, place), tool: &call.tool, result: &Value::Null };
            if !may_read(&past) {
                let result = hidden_result(call);
                open.set_state(place, CallState::Ended(result));
            }
        }
        self
    }

    /// The position of the messages whose calls are open; the number of messages without such calls.
    fn open_position(&self) -> usize {
        let n_open = if self.open.is_some() { self.last_group_length() } else { 0 };
        self.messages.len() - n_open
    }
}

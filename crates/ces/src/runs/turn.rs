//! A turn of a session whose calls wait for the client, with the results of its other calls, in the form for a store.

use callgate_tool::{Arguments, Object, Value};
use serde::{Deserialize, Serialize};

use super::repetition::KeptOutputs;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Runs {
    /// The number of turns so far.
    pub(super) n_turns: u64,
    /// The turn that waits for the client.
    pub(super) open: Option<WaitingTurn>,
    /// The recent calls that waited, the latest last, and how each ended.
    pub(super) past: Vec<(String, WaitEnd)>,
    /// The last responses to requests that may be repeated.
    pub(super) kept: KeptOutputs,
}

/// The end of the wait for a client.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) enum WaitEnd {
    Answered,
    Expired,
    Removed,
}

/// A turn that waits for the client.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct WaitingTurn {
    pub(super) index: u64,
    /// The time when the turn is given up, in milliseconds since 1970.
    pub(super) expires: u64,
    pub(super) calls: Vec<PendingCall>,
}

/// One call of a turn that waits for the client.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct PendingCall {
    /// The caller's own id.
    pub(super) id: String,
    /// The members that name the tool, in the form for responses.
    pub(super) named: Object,
    pub(super) tool: String,
    pub(super) arguments: Arguments,
    pub(super) state: CallState,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(from = "StoredState", into = "StoredState")]
pub(super) enum CallState {
    /// The call ended: its `response`, and the id it waited under, if any.
    Ended(Value, Option<String>),
    /// The client has the call, under an id and with filled arguments.
    Waits(String, Value),
}

/// True for a call that ended, its response or its arguments, and its id.
type StoredState = (bool, Value, Option<String>);

impl From<StoredState> for CallState {
    fn from((is_ended, value, id): StoredState) -> Self {
        if is_ended { Self::Ended(value, id) } else { Self::Waits(id.unwrap_or_default(), value) }
    }
}

impl From<CallState> for StoredState {
    fn from(state: CallState) -> Self {
        match state {
            CallState::Ended(response, id) => (true, response, id),
            CallState::Waits(id, args) => (false, args, Some(id)),
        }
    }
}

impl WaitingTurn {
    /// The waiting calls in the form that asks the client to run them.
    pub(super) fn requested_calls(&self) -> Vec<Value> {
        self.calls.iter().filter_map(PendingCall::request_if_waiting).collect()
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.calls.iter().any(PendingCall::is_waiting)
    }

    /// True if the calls came in the format of Dialogflow.
    pub(super) fn is_of_dialogflow(&self) -> bool {
        self.calls.iter().any(PendingCall::is_of_dialogflow)
    }

    /// The responses of all calls, in the order of the request.
    pub(super) fn responses(&self) -> Vec<Value> {
        self.calls.iter().filter_map(PendingCall::response_if_ended).collect()
    }
}

impl PendingCall {
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, CallState::Waits(..))
    }

    /// True if the call has an action, like calls of Dialogflow, and no id known to its caller.
    pub(super) fn is_of_dialogflow(&self) -> bool {
        self.named.contains_key("action")
    }

    fn request_if_waiting(&self) -> Option<Value> {
        let CallState::Waits(id, args) = &self.state else { return None };
        if self.is_of_dialogflow() {
            return Some(self.with_naming_members(None, "inputParameters", args));
        }
        Some(self.with_naming_members(Some(id), "args", args))
    }

    fn response_if_ended(&self) -> Option<Value> {
        let CallState::Ended(response, _) = &self.state else { return None };
        let Some(members) = response.as_object().filter(|_| self.is_of_dialogflow()) else {
            return Some(self.with_naming_members(Some(&self.id), "response", response));
        };
        let mut result = self.named.clone();
        result.extend(members.clone());
        Some(Value::Object(result))
    }

    fn with_naming_members(&self, id: Option<&str>, name: &str, value: &Value) -> Value {
        let mut call = Object::new();
        call.insert_if_some("id", id);
        call.extend(self.named.clone());
        call.insert(name, value.clone());
        Value::Object(call)
    }
}

impl Runs {
    /// Records how the wait for calls ended.
    pub(super) fn remember_wait_end(&mut self, calls: &[PendingCall], past: WaitEnd) {
        let ids = calls.iter().filter_map(|call| match &call.state {
            CallState::Ended(_, id) => id.clone().map(|id| (id, WaitEnd::Answered)),
            CallState::Waits(id, _) => Some((id.clone(), past)),
        });
        self.past.extend(ids);
        let n_gone = self.past.len().saturating_sub(MOST_PAST);
        self.past.drain(..n_gone);
    }
}

/// The number of ids that are kept, to distinguish late and repeated answers from those that nobody asked for.
const MOST_PAST: usize = 256;

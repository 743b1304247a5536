//! A turn of a session whose calls wait for the client, with the results of its other calls, in the form for a store.

use callgate_tool::{Arguments, Number, Object, Value, json};

use super::repeated::Answers;

/// The state of the runs of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    /// The number of turns so far.
    pub(super) n_turns: u64,
    /// The turn that waits for the client.
    pub(super) open: Option<Turn>,
    /// The recent calls that waited, the latest last, and how each ended.
    pub(super) past: Vec<(String, Past)>,
    /// The last responses to requests that may be repeated.
    pub(super) told: Answers,
}

/// The end of the wait for a client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Past {
    Answered,
    Expired,
    Removed,
}

/// A turn that waits for the client.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) index: u64,
    /// The time when the turn is given up, in milliseconds since 1970.
    pub(super) expires: u64,
    pub(super) calls: Vec<PendingCall>,
}

/// One call of a turn that waits for the client.
#[derive(Clone, Debug)]
pub(super) struct PendingCall {
    /// The caller's own id.
    pub(super) id: String,
    /// The members that name the tool, in the form for responses.
    pub(super) named: Object,
    /// The tool.
    pub(super) tool: String,
    /// The arguments of the requested call.
    pub(super) arguments: Arguments,
    pub(super) fate: Fate,
}

/// The state of a call.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// The call ended: its `response`, and the id it waited under, if any.
    Ended(Value, Option<String>),
    /// The client has the call, under an id and with filled arguments.
    Waits(String, Value),
}

impl Turn {
    /// The waiting calls in the form that asks the client to run them.
    pub(super) fn asked(&self) -> Value {
        Value::Array(self.calls.iter().filter_map(PendingCall::asked).collect())
    }

    /// True if a call waits.
    pub(super) fn waits(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.fate, Fate::Waits(..)))
    }

    /// True if the calls came in the format of Dialogflow.
    pub(super) fn is_of_dialogflow(&self) -> bool {
        self.calls.iter().any(PendingCall::is_of_dialogflow)
    }

    /// The responses of all calls, in the order of the request.
    pub(super) fn responses(&self) -> Value {
        Value::Array(self.calls.iter().filter_map(PendingCall::response).collect())
    }
}

impl PendingCall {
    /// True if the call has an action, like calls of Dialogflow, and no id known to its caller.
    pub(super) fn is_of_dialogflow(&self) -> bool {
        self.named.contains_key("action")
    }

    fn asked(&self) -> Option<Value> {
        let Fate::Waits(id, args) = &self.fate else { return None };
        if self.is_of_dialogflow() {
            return Some(self.with_names(None, "inputParameters", args));
        }
        Some(self.with_names(Some(id), "args", args))
    }

    fn response(&self) -> Option<Value> {
        let Fate::Ended(response, _) = &self.fate else { return None };
        let Some(members) = response.as_object().filter(|_| self.is_of_dialogflow()) else {
            return Some(self.with_names(Some(&self.id), "response", response));
        };
        let mut result = self.named.clone();
        result.extend(members.clone());
        Some(Value::Object(result))
    }

    fn with_names(&self, id: Option<&str>, name: &str, value: &Value) -> Value {
        let mut call = Object::new();
        if let Some(id) = id {
            call.insert("id", Value::from(id));
        }
        call.extend(self.named.clone());
        call.insert(name, value.clone());
        Value::Object(call)
    }
}

impl Runs {
    /// Records how the wait for calls ended.
    pub(super) fn remember(&mut self, calls: &[PendingCall], past: Past) {
        let ids = calls.iter().filter_map(|call| match &call.fate {
            Fate::Ended(_, id) => id.clone().map(|id| (id, Past::Answered)),
            Fate::Waits(id, _) => Some((id.clone(), past)),
        });
        self.past.extend(ids);
        let n_gone = self.past.len().saturating_sub(MOST_PAST);
        self.past.drain(..n_gone);
    }

    /// The state in the form for a store.
    pub(super) fn to_value(&self) -> Value {
        let past = self.past.iter().map(|(id, past)| json!([id, past.as_str()]));
        let mut value = Object::new();
        value.insert("turns", Number::from(self.n_turns).into());
        value.insert("past", Value::Array(past.collect()));
        value.insert("told", self.told.to_value());
        if let Some(turn) = &self.open {
            let calls = turn.calls.iter().map(PendingCall::to_value).collect();
            let mut open = Object::new();
            open.insert("index", Number::from(turn.index).into());
            open.insert("expires", Number::from(turn.expires).into());
            open.insert("calls", Value::Array(calls));
            value.insert("open", Value::Object(open));
        }
        Value::Object(value)
    }

    /// Reads a state from a store; `None` if the value is invalid.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let past = value.get("past")?.as_array()?.iter().map(|entry| {
            let entry = entry.as_array()?;
            Some((entry.first()?.as_str()?.to_owned(), Past::of(entry.get(1)?.as_str()?)?))
        });
        let open = match value.get("open") {
            None => None,
            Some(open) => {
                let calls = open.get("calls")?.as_array()?.iter().map(PendingCall::of);
                let calls = calls.collect::<Option<_>>()?;
                Some(Turn {
                    index: number(open, "index")?,
                    expires: number(open, "expires")?,
                    calls,
                })
            }
        };
        let past = past.collect::<Option<_>>()?;
        let told = Answers::of(value.get("told"))?;
        Some(Self { n_turns: number(value, "turns")?, open, past, told })
    }
}

impl PendingCall {
    fn to_value(&self) -> Value {
        let mut value = Object::new();
        value.insert("id", Value::from(&*self.id));
        value.insert("named", Value::Object(self.named.clone()));
        value.insert("tool", Value::from(&*self.tool));
        value.insert("arguments", Value::Object(self.arguments.clone()));
        let (name, fate, id) = match &self.fate {
            Fate::Ended(response, id) => ("response", response, id.as_ref()),
            Fate::Waits(id, args) => ("args", args, Some(id)),
        };
        value.insert(name, fate.clone());
        if let Some(id) = id {
            value.insert("waited", Value::from(&**id));
        }
        Value::Object(value)
    }

    fn of(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let object = |name: &str| value.get(name).and_then(Value::as_object).cloned();
        let waited = text("waited");
        let fate = match (value.get("response"), value.get("args")) {
            (Some(response), _) => Fate::Ended(response.clone(), waited),
            (None, Some(args)) => Fate::Waits(waited?, args.clone()),
            (None, None) => return None,
        };
        let (named, arguments) = (object("named")?, object("arguments")?);
        Some(Self { id: text("id")?, named, tool: text("tool")?, arguments, fate })
    }
}

impl Past {
    fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Expired => "expired",
            Self::Removed => "removed",
        }
    }

    fn of(text: &str) -> Option<Self> {
        [Self::Answered, Self::Expired, Self::Removed]
            .into_iter()
            .find(|past| past.as_str() == text)
    }
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64()
}

/// The number of ids that are kept, to distinguish late and repeated answers from those that nobody asked for.
const MOST_PAST: usize = 256;

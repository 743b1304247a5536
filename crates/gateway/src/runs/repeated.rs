//! Requests of a session with an `Idempotency-Key`: their responses are kept with the state of its runs, so that a lost
//! response can be repeated. Once the client has answered, a response that asked it to run calls becomes that of the turn's
//! end.

use callgate_config::SessionsConfig;
use callgate_policy::Guard;
use callgate_tool::{FingerprintHasher, Number, Object, Value};
use http::HeaderMap;

use crate::{
    caller::Caller,
    calls::{Repeated, begun_with_key, idempotency_key},
    gateway::Gateway,
    problem::{Problem, ProblemKind},
    sessions::bound,
};

/// A request that may be repeated.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Request {
    key: String,
    /// The digest of the request's body, of the values that its headers and claims bind, of its caller's rights, and of its
    /// calls.
    digest: String,
}

/// The last responses of a session to requests with a key.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Vec<PastAnswer>);

#[derive(Clone, Debug)]
struct PastAnswer {
    request: Request,
    /// The turn whose calls the response asks the client to run.
    turn: Option<u64>,
    outputs: Vec<Value>,
    /// The tools whose answers the response holds.
    tools: Vec<String>,
}

impl Request {
    /// Reads a request that has a key.
    pub(super) fn of(
        headers: &HeaderMap,
        body: &Value,
        caller: &Caller,
        config: &SessionsConfig,
    ) -> Result<Option<Self>, Problem> {
        let Some(key) = idempotency_key(headers)? else { return Ok(None) };
        let mut hasher = FingerprintHasher::default();
        hasher.text(&body.to_string());
        for (name, value) in bound(config, caller, headers)? {
            hasher.text(&name).value(&value);
        }
        for toolset in caller.toolsets.iter().flat_map(|toolsets| &**toolsets) {
            hasher.text(toolset);
        }
        Ok(Some(Self { key, digest: hex(hasher.finish().as_bytes()) }))
    }

    /// The request as one of calls with these fingerprints: with other stored values, it is another one.
    pub(super) fn of_calls(self, fingerprints: &[u8]) -> Self {
        let mut hasher = FingerprintHasher::default();
        hasher.text(&self.digest).text(&hex(fingerprints));
        Self { digest: hex(hasher.finish().as_bytes()), ..self }
    }

    /// Begins the request, unless it is already running. `id` is the session's. The key is freed when the request has
    /// ended, since its response is kept elsewhere.
    pub(super) async fn begin(
        &self,
        gateway: &Gateway,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Guard>, Problem> {
        let scoped = format!("{}\u{1f}:run\u{1f}{id}", self.key);
        let request: [&[u8]; 1] = [self.digest.as_bytes()];
        let principal = caller.principal.as_ref();
        match begun_with_key(gateway.answers(), &scoped, &request, principal).await? {
            Repeated::Answered(_) => Ok(None),
            Repeated::Made(guard) => Ok(Some(guard)),
        }
    }
}

impl Answers {
    /// The kept response to a request; none if the caller may not read the answer of one of its tools.
    pub(super) fn find(
        &self,
        request: &Request,
        may_read: impl Fn(&str) -> bool,
    ) -> Result<Option<Vec<Value>>, Problem> {
        let Some(told) = self.0.iter().rev().find(|told| told.request.key == request.key) else {
            return Ok(None);
        };
        if !told.tools.iter().all(|tool| may_read(tool)) {
            return Ok(None);
        }
        if told.request != *request {
            let detail = "the key was given to another request, with another body, session or credential: choose another key";
            return Err(Problem::new(ProblemKind::KEY_REUSED, detail));
        }
        Ok(Some(told.outputs.clone()))
    }

    /// Keeps the response to a request; `turn` is the turn whose calls it asks the client to run.
    pub(super) fn keep(
        &mut self,
        request: Option<&Request>,
        turn: Option<u64>,
        outputs: &[Value],
        tools: Vec<String>,
    ) {
        let Some(request) = request else { return };
        let n_bytes: usize = outputs.iter().map(|output| output.to_string().len()).sum();
        if n_bytes > LONGEST {
            return;
        }
        let (request, outputs) = (request.clone(), outputs.to_vec());
        self.0.push(PastAnswer { request, turn, outputs, tools });
        let n_gone = self.0.len().saturating_sub(MOST);
        self.0.drain(..n_gone);
    }

    /// Puts the end of a turn into the responses that asked the client for it.
    pub(super) fn end(&mut self, turn: u64, ended: &Value) {
        for told in self.0.iter_mut().filter(|told| told.turn == Some(turn)) {
            if let Some(last) = told.outputs.last_mut() {
                last.clone_from(ended);
            }
        }
    }

    /// The responses in the form for a store.
    pub(super) fn to_value(&self) -> Value {
        self.0.iter().map(PastAnswer::to_value).collect()
    }

    /// Reads responses from a store; `None` if the value is invalid.
    pub(super) fn of(value: Option<&Value>) -> Option<Self> {
        let Some(value) = value else { return Some(Self::default()) };
        value.as_array()?.iter().map(PastAnswer::of).collect::<Option<_>>().map(Self)
    }
}

impl PastAnswer {
    fn to_value(&self) -> Value {
        let Self { request: Request { key, digest }, turn, outputs, tools } = self;
        let mut value = Object::new();
        value.insert("key", Value::from(&**key));
        value.insert("digest", Value::from(&**digest));
        value.insert("turn", turn.map_or(Value::Null, |turn| Number::from(turn).into()));
        value.insert("outputs", Value::Array(outputs.clone()));
        value.insert("tools", tools.iter().map(|tool| Value::from(&**tool)).collect::<Value>());
        Value::Object(value)
    }

    fn of(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let request = Request { key: text("key")?, digest: text("digest")? };
        let outputs = value.get("outputs")?.as_array()?.clone();
        let tools = value.get("tools")?.as_array()?.iter();
        let tools = tools.map(|tool| tool.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        Some(Self { request, turn: value.get("turn")?.as_u64(), outputs, tools })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The number of responses kept for a session; a client repeats the last request.
const MOST: usize = 4;
/// The longest kept response: repeating a request with a longer one makes its calls under their own keys.
const LONGEST: usize = 256 * 1024;

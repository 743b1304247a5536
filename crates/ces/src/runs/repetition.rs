//! Requests of a session with an `Idempotency-Key`: their responses are kept with the state of its runs, so that a lost
//! response can be repeated. Once the client has answered, a response that asked it to run calls becomes that of the turn's
//! end.

use callgate_gateway::{Problem, ProblemKind, RouteRequest};
use callgate_policy::Guard;
use callgate_tool::{Fingerprint, FingerprintHasher, Value, hexadecimal};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Repeatable {
    key: String,
    /// The digest of the request's body, of the values that its headers and claims bind, of its caller's rights, and of its
    /// calls if the caller may make all of them.
    digest: String,
    /// The digest without the calls.
    #[serde(default)]
    request: Option<String>,
    /// The fingerprints of the calls, of those that the caller may make.
    #[serde(default)]
    calls: Vec<Option<String>>,
}

/// The last responses of a session to requests with a key.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct KeptOutputs(Vec<KeptResponse>);

#[derive(Clone, Debug, Deserialize, Serialize)]
struct KeptResponse {
    request: Repeatable,
    /// The turn whose calls the response asks the client to run.
    turn: Option<u64>,
    outputs: Vec<Value>,
    /// The tools whose answers the response holds.
    tools: Vec<String>,
}

impl Repeatable {
    /// Reads a request that has a key.
    pub(super) fn from_keyed_request(
        request: &RouteRequest,
        body: &Value,
    ) -> Result<Option<Self>, Problem> {
        let Some((key, mut hasher)) = request.idempotency_key_and_hasher()? else {
            return Ok(None);
        };
        hasher.add_text(&body.to_string());
        let digest = hexadecimal(hasher.finish().as_bytes());
        Ok(Some(Self { key, request: Some(digest.clone()), digest, calls: Vec::new() }))
    }

    /// The request as one of calls with these fingerprints: with other stored values, it is another one.
    pub(super) fn with_call_fingerprints(mut self, fingerprints: &[Option<Fingerprint>]) -> Self {
        let of_call =
            |call: &Option<Fingerprint>| call.as_ref().map(|call| hexadecimal(call.as_bytes()));
        self.calls = fingerprints.iter().map(of_call).collect();
        let all: Option<Vec<&str>> = self.calls.iter().map(Option::as_deref).collect();
        if let Some(all) = all {
            let mut hasher = FingerprintHasher::default();
            hasher.add_text(&self.digest).add_text(&all.concat());
            self.digest = hexadecimal(hasher.finish().as_bytes());
        }
        self
    }

    /// True if a later request under the key is this one. A call whose tool was removed or added since counts as the same: its result
    /// is not shown, or is that of a call without a tool.
    fn is_repeated_by(&self, later: &Self) -> bool {
        if self.request.is_none() {
            // An earlier release kept it.
            return self.digest == later.digest;
        }
        let mut calls = self.calls.iter().zip(&later.calls);
        self.request == later.request
            && self.calls.len() == later.calls.len()
            && calls.all(|(one, other)| one.is_none() || other.is_none() || one == other)
    }

    /// Begins the request, unless it is already running. `id` is the session's. The key is freed when the request has
    /// ended, since its response is kept elsewhere.
    pub(super) async fn begin_request(
        &self,
        request: &RouteRequest,
        id: &str,
    ) -> Result<Option<Guard>, Problem> {
        let scoped = format!("{}\u{1f}:run\u{1f}{id}", self.key);
        request.claim_key_unless_answered(&scoped, self.digest.as_bytes()).await
    }
}

impl KeptOutputs {
    /// The kept response to a request; none if the caller may not read the answer of one of its tools.
    pub(super) fn kept_response(
        &self,
        request: &Repeatable,
        may_read: impl Fn(&str) -> bool,
    ) -> Result<Option<Vec<Value>>, Problem> {
        let Some(kept) = self.0.iter().rev().find(|kept| kept.request.key == request.key) else {
            return Ok(None);
        };
        if !kept.tools.iter().all(|tool| may_read(tool)) {
            return Ok(None);
        }
        if !kept.request.is_repeated_by(request) {
            let detail = "the key was given to another request, with another body, session or credential: choose another key";
            return Err(Problem::new(ProblemKind::KEY_REUSED, detail));
        }
        Ok(Some(kept.outputs.clone()))
    }

    /// Keeps the response to a request; `turn` is the turn whose calls it asks the client to run.
    pub(super) fn keep_response(
        &mut self,
        request: Option<&Repeatable>,
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
        self.0.push(KeptResponse { request, turn, outputs, tools });
        let n_gone = self.0.len().saturating_sub(MOST);
        self.0.drain(..n_gone);
    }

    /// Puts the end of a turn, with results of these tools, into the responses that asked the client for it.
    pub(super) fn put_turn_end(&mut self, turn: u64, ended: &Value, tools: &[String]) {
        for kept in self.0.iter_mut().filter(|kept| kept.turn == Some(turn)) {
            if let Some(last) = kept.outputs.last_mut() {
                last.clone_from(ended);
                kept.tools.extend_from_slice(tools);
            }
        }
    }
}

/// The number of responses kept for a session; a client repeats the last request.
const MOST: usize = 4;
/// The longest kept response: repeating a request with a longer one makes its calls under their own keys.
const LONGEST: usize = 256 * 1024;

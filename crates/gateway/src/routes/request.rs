//! One request to a further route: its caller, and what the sidecar does for it.

use std::sync::Arc;

use callgate_config::Built;
use callgate_executor::{CallRights, Entry, Execution};
use callgate_policy::Guard;
use callgate_session::{Error, ErrorKind, Expected, Version};
use callgate_tool::{
    Fingerprint, FingerprintHasher, Object, Principal, Session, ToolCall, ToolResult, Value,
    from_value,
};
use http::HeaderMap;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    caller::Caller,
    calls::{
        Batch, BatchText, GivenUp, Mode, RepeatedRequest, RequestedCall, begun_with_key,
        idempotency_key,
    },
    dialects::entry_by_any_name,
    gateway::Gateway,
    observe::trace_from_headers,
    problem::Problem,
    rights::call_rights,
    sessions::{SessionInput, header_and_claim_values, store_variables, with_changes},
    tools::absent_tool,
};

/// A request to a further route, from an identified caller.
#[derive(Clone)]
pub struct RouteRequest {
    pub(super) gateway: Gateway,
    pub(super) built: Arc<Built>,
    pub(super) caller: Caller,
    pub(super) headers: HeaderMap,
    pub(super) parameters: Vec<(String, String)>,
}

/// Calls of a request, ready to run with the sidecar's middleware, limits and idempotency keys.
#[derive(Debug)]
pub struct RouteCalls {
    gateway: Gateway,
    batch: Batch,
    calls: Vec<RequestedCall>,
}

// Shows no header, which may be a credential.
callgate_secret::opaque!(RouteRequest { caller });

impl RouteRequest {
    #[cfg(feature = "agents")]
    pub(crate) fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    #[cfg(feature = "agents")]
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    #[cfg(feature = "agents")]
    pub(crate) fn shared_build(&self) -> &Arc<Built> {
        &self.built
    }

    /// A parameter of the path, without the verb; empty if the path has none of this name.
    pub fn path_parameter(&self, name: &str) -> &str {
        let matching_pair = self.parameters.iter().find(|(entry, _)| entry == name);
        matching_pair.map_or("", |(_, value)| value)
    }

    /// The headers, which may have credentials.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The tools and the configuration that the request runs with to its end.
    pub fn served_build(&self) -> &Built {
        &self.built
    }

    /// The principal of the caller; `None` if everybody is served.
    pub fn principal(&self) -> Option<&Principal> {
        self.caller.principal.as_ref()
    }

    /// True if the caller may use the tools of a toolset.
    pub fn may_use(&self, toolset: &str) -> bool {
        self.caller.may_use(toolset)
    }

    /// The rights of the calls of the request.
    pub fn rights(&self) -> CallRights {
        call_rights(&self.gateway, &self.built, &self.caller)
    }

    /// The tool that the caller means by a name: the tool's own name, or the `operationId` of only one operation. Tools that
    /// the caller may not use are not found.
    pub fn find_usable_tool(&self, name: &str) -> Option<Entry<'_>> {
        entry_by_any_name(&self.built, &self.caller, name)
    }

    /// The refusal of a name that no tool has. It suggests tools that the caller may use.
    pub fn absent_tool_problem(&self, name: &str) -> Problem {
        absent_tool(&self.built, &self.caller, name)
    }

    /// The session of the request: stored values, those in the input, and those of headers and claims.
    ///
    /// # Errors
    /// Returns a [`Problem`] if the input or a header is malformed, if the caller's token lacks a claim, or if the store fails.
    pub async fn session(&self, input: SessionInput) -> Result<Session, Problem> {
        let sessions = self.gateway.sessions();
        input.into_session(sessions, &self.built.sessions, &self.caller, &self.headers).await
    }

    /// Calls of the caller in a session. Tools that the caller may not use are refused when they run.
    ///
    /// # Errors
    /// Returns a [`Problem`] if the header `Idempotency-Key` is malformed.
    pub fn calls(
        &self,
        session: Session,
        execution: Execution,
        calls: impl IntoIterator<Item = ToolCall>,
    ) -> Result<RouteCalls, Problem> {
        let batch = Batch {
            rights: self.rights(),
            built: Arc::clone(&self.built),
            caller: self.caller.clone(),
            session,
            is_dry_run: false,
            journal: None,
            mode: Mode::Parallel,
            execution,
            trace: trace_from_headers(&self.headers),
            key: idempotency_key(&self.headers)?,
            stop: self.gateway.drain().running_calls_stop(),
            keeper: None,
        };
        let calls = calls.into_iter().map(RequestedCall::from).collect();
        Ok(RouteCalls { gateway: self.gateway.clone(), batch, calls })
    }

    /// The idempotency key of the request, with a digest of the values that its headers and claims bind and of its caller's
    /// rights; `None` without a key.
    ///
    /// # Errors
    /// Returns a [`Problem`] if a header is malformed or if the caller's token lacks a claim.
    pub fn idempotency_key_and_hasher(
        &self,
    ) -> Result<Option<(String, FingerprintHasher)>, Problem> {
        let Some(key) = idempotency_key(&self.headers)? else { return Ok(None) };
        let mut hasher = FingerprintHasher::default();
        for (name, value) in
            header_and_claim_values(&self.built.sessions, &self.caller, &self.headers)?
        {
            hasher.add_text(&name).add_value(&value);
        }
        for toolset in self.caller.toolsets.iter().flat_map(|toolsets| &**toolsets) {
            hasher.add_text(toolset);
        }
        Ok(Some((key, hasher)))
    }

    /// Claims a key of the caller while the request runs; the returned guard frees it. `None` if an answer is kept under it.
    ///
    /// # Errors
    /// Returns a [`Problem`] if a request with the key is running, or was another one by its digest.
    pub async fn claim_key_unless_answered(
        &self,
        key: &str,
        digest: &[u8],
    ) -> Result<Option<Guard>, Problem> {
        match self.claim_key_or_answer(key, digest, GivenUp::MadeAgain).await? {
            RepeatedRequest::Answered(_) => Ok(None),
            RepeatedRequest::Made(guard) => Ok(Some(guard)),
        }
    }

    /// Claims a key of the caller, or finds the answer that is kept under it.
    pub(crate) async fn claim_key_or_answer(
        &self,
        key: &str,
        digest: &[u8],
        given_up: GivenUp,
    ) -> Result<RepeatedRequest, Problem> {
        let answers = self.gateway.idempotent_answers();
        begun_with_key(answers, key, &[digest], self.principal(), given_up).await
    }

    /// The stored parameters of a session once they are changed, where `null` removes one; `None` if there are none and
    /// nothing changes.
    ///
    /// # Errors
    /// Returns a [`Problem`] if the store fails.
    pub async fn changed_session_parameters(
        &self,
        session: &str,
        changes: &Object,
    ) -> Result<Option<Object>, Problem> {
        let stored = self.gateway.sessions().get(self.principal(), session).await?;
        let stored = stored.map(|(state, _)| state.parameters);
        let is_any = stored.is_some() || !changes.is_empty();
        Ok(is_any.then(|| with_changes(stored.unwrap_or_default(), changes)))
    }

    /// Stores changes of the parameters of a session; `null` removes one.
    ///
    /// # Errors
    /// Returns a [`Problem`] if two names are equal but for their case, or if the store fails.
    pub async fn change_parameters(&self, session: &str, changes: Object) -> Result<(), Problem> {
        store_variables(&self.gateway, &self.caller, session, changes).await
    }

    /// The state that routes keep with a session of the caller, and its version.
    ///
    /// # Errors
    /// Returns a [`Problem`] if the store fails.
    pub async fn route_state<T: DeserializeOwned>(
        &self,
        session: &str,
    ) -> Result<Option<(T, Version)>, Problem> {
        let stored = self.gateway.sessions().get_route_state(self.principal(), session).await?;
        let Some((value, version)) = stored else { return Ok(None) };
        Ok(Some((from_value(value).map_err(|_| unreadable_state_error())?, version)))
    }

    /// Replaces the state of a session in the version that was read. Returns false if another request has changed it since.
    ///
    /// # Errors
    /// Returns a [`Problem`] if the state has no form in JSON, or if the store fails or is full.
    pub async fn replace_state_if_unchanged(
        &self,
        session: &str,
        state: &impl Serialize,
        version: Option<Version>,
    ) -> Result<bool, Problem> {
        let expected = version.map_or(Expected::Absent, Expected::Version);
        let unwritable = |_| {
            Error::new(ErrorKind::Unreadable, "the state of a session cannot be written as JSON")
        };
        let state = serde_json::to_string(state).map_err(unwritable)?;
        match self
            .gateway
            .sessions()
            .put_route_state(self.principal(), session, state, expected)
            .await
        {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The time in milliseconds since 1970, for kept states. It never goes back.
    pub fn monotonic_milliseconds(&self) -> u64 {
        self.gateway.sessions().monotonic_milliseconds()
    }
}

fn unreadable_state_error() -> Error {
    Error::new(ErrorKind::Unreadable, "what is kept of a session cannot be read")
}

impl RouteCalls {
    /// The fingerprints of the calls, which differ for other tools, arguments and sessions; `None` for a call that the caller may
    /// not make.
    pub fn fingerprints(&self) -> Vec<Option<Fingerprint>> {
        let calls = self.calls.iter().enumerate();
        calls.map(|(at, call)| self.batch.fingerprint(at, call)).collect()
    }

    /// Runs the calls, and returns what `written` makes of their results. A request that comes again under its idempotency key
    /// gets what it got first; `body` is what then has to be equal beside the calls.
    ///
    /// # Errors
    /// Returns a [`Problem`] if a request with the key is running, or was another one.
    pub async fn run_or_earlier_answer(
        &self,
        body: &Value,
        written: impl Fn(&[ToolResult]) -> Value,
    ) -> Result<Value, Problem> {
        let (body, written) =
            (body.to_string(), |results: &[ToolResult]| written(results).to_string());
        let text = self
            .batch
            .run_or_earlier_text(&self.gateway, &self.calls, &[body.as_bytes()], written)
            .await?;
        let (BatchText::Earlier(text) | BatchText::Made(text)) = text;
        Value::parse(&text).map_err(|_| unreadable_state_error().into())
    }

    /// Runs the calls at the same time. Returns their results in order.
    pub async fn run(&self) -> Vec<ToolResult> {
        self.batch.run_calls(&self.calls).await
    }
}

//! `/v1/sessions/{id}`: parameters and credentials that a runtime stores once and names in its calls. Ids belong to one
//! principal. A credential is never shown, nor is a parameter that a credential reads.

mod condition;
mod merge;
mod parameters_schema;

use std::{collections::BTreeMap, mem::take, time::Duration};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use callgate_dialect::check_distinct_ignoring_case;
use callgate_secret::MASK;
use callgate_session::{ErrorKind, Expected, Version};
use callgate_tool::{Object, Value, json, mask_session};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::merge::SessionInput;
#[cfg(feature = "agents")]
pub(crate) use self::merge::put_ignoring_case;
pub(crate) use self::merge::{InlineSession, header_and_claim_values, with_changes};
use self::{
    condition::Condition,
    parameters_schema::{Conditions, ReadResponses, SessionPath, WriteResponses},
};
use crate::{
    answer::JsonText,
    bodies::Masked,
    caller::Caller,
    gateway::Gateway,
    json_body::{JsonBody, typed_body},
    path_name::PathName,
    problem::{Problem, ProblemKind},
    stored_sessions::State as SessionState,
};

/// Shows a session.
#[utoipa::path(
    get, path = "/v1/sessions/{id}",
    operation_id = "showSession", tag = "sessions",
    params(SessionPath),
    responses(
        ReadResponses,
        (status = 404, description = "There is no such session"),
    ),
)]
pub(crate) async fn show(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
) -> Result<Response, Problem> {
    let sessions = gateway.sessions();
    let stored_session = sessions.get(caller.principal.as_ref(), &id).await?;
    let (state, version) = stored_session.ok_or_else(absent_session)?;
    Ok(session_response(&gateway, &id, &state, version, StatusCode::OK))
}

/// Replaces a session.
#[utoipa::path(
    put, path = "/v1/sessions/{id}",
    operation_id = "storeSession", tag = "sessions",
    params(SessionPath, Conditions),
    request_body(content = Change, description = "Parameters and credentials"),
    responses(WriteResponses),
)]
pub(crate) async fn put(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let change = Change::from_body(body.value)?;
    let state = change.changed_state(SessionState::default());
    let asked = Condition::from_headers(&headers)?;
    let sessions = gateway.sessions();
    let current_version =
        sessions.get(caller.principal.as_ref(), &id).await?.map(|(_, version)| version);
    let expected = asked.expected_version(current_version)?;
    let version = sessions.put_session(caller.principal.as_ref(), &id, &state, expected).await;
    let version = version.map_err(store_problem)?;
    let status = if current_version.is_none() { StatusCode::CREATED } else { StatusCode::OK };
    Ok(session_response(&gateway, &id, &state, version, status))
}

/// Changes members of a session; a `null` deletes a member.
#[utoipa::path(
    patch, path = "/v1/sessions/{id}",
    operation_id = "changeSession", tag = "sessions",
    params(SessionPath, Conditions),
    request_body(content = Change, description = "Parameters and credentials"),
    responses(WriteResponses),
)]
pub(crate) async fn patch(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let change = Change::from_body(body.value)?;
    let asked = Condition::from_headers(&headers)?;
    let (state, version, is_new) = change_session(&gateway, &caller, &id, &change, &asked).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(session_response(&gateway, &id, &state, version, status))
}

/// Changes a session. Returns the new session, and true if it was created.
async fn change_session(
    gateway: &Gateway,
    caller: &Caller,
    id: &str,
    change: &Change,
    asked: &Condition,
) -> Result<(SessionState, Version, bool), Problem> {
    let (sessions, principal) = (gateway.sessions(), caller.principal.as_ref());
    for _ in 0..ATTEMPTS {
        let (state, current_version) = sessions.get(principal, id).await?.unzip();
        asked.expected_version(current_version)?;
        let state = change.changed_state(state.unwrap_or_default());
        let expected = current_version.map_or(Expected::Absent, Expected::Version);
        match sessions.put_session(principal, id, &state, expected).await {
            // Another request has changed the session: the change is made again on its current state.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error.into()),
            Ok(version) => return Ok((state, version, current_version.is_none())),
        }
    }
    Err(version_conflict())
}

/// Stores variables of a session beside its other values; a variable that is `null` is removed.
pub(crate) async fn store_variables(
    gateway: &Gateway,
    caller: &Caller,
    id: &str,
    variables: Object,
) -> Result<(), Problem> {
    if variables.is_empty() {
        return Ok(());
    }
    check_distinct_ignoring_case("variables", variables.keys())?;
    let change = Change { parameters: variables, credentials: BTreeMap::new() };
    change_session(gateway, caller, id, &change, &Condition::Any).await.map(drop)
}

/// Forgets a session, the calls in it that wait for their client, and its conversations with agents.
#[utoipa::path(
    delete, path = "/v1/sessions/{id}",
    operation_id = "deleteSession", tag = "sessions",
    params(
        SessionPath,
        ("If-Match" = Option<String>, Header, description = "The entity tags of which the session must have one, or `*`", pattern = r#"^(\*|(W/)?"[!#-~]*"(,(W/)?"[!#-~]*")*)$"#),
    ),
    responses(
        (status = 204, description = "It is forgotten"),
        (status = 404, description = "There is no such session"),
        (status = 412, description = "The session is in another version"),
    ),
)]
pub(crate) async fn delete(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let asked = Condition::from_headers(&headers)?;
    let (sessions, principal) = (gateway.sessions(), caller.principal.as_ref());
    let current_version = sessions.get(principal, &id).await?.map(|(_, version)| version);
    let expected = asked.expected_version(current_version)?;
    let was_there = sessions.remove_with_waiting_calls(principal, &id, expected).await;
    let was_there = was_there.map_err(store_problem)?;
    #[cfg(feature = "agents")]
    let was_there =
        crate::conversations::remove_session(&gateway, principal, &id).await? || was_there;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(absent_session()) }
}

/// A stored session; credentials, and parameters that a credential reads, are masked
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionBody<'s> {
    id: &'s str,
    #[schema(value_type = Object)]
    parameters: Value,
    #[schema(value_type = BTreeMap<String, Masked>, inline)]
    credentials: BTreeMap<&'s str, &'static str>,
}

/// Parameters and credentials; one that is `null` is taken away
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SessionRequest)]
#[serde(deny_unknown_fields)]
struct Change {
    /// Names are case-insensitive
    #[serde(default)]
    #[schema(value_type = Object, additional_properties)]
    parameters: Object,
    /// Names are case-insensitive
    #[serde(default)]
    credentials: BTreeMap<String, Option<String>>,
}

impl Change {
    fn from_body(body: Value) -> Result<Self, Problem> {
        let change = typed_body::<Self>(body)?;
        check_distinct_ignoring_case("parameters", change.parameters.keys())?;
        check_distinct_ignoring_case("credentials", change.credentials.keys())?;
        Ok(change)
    }

    /// A session with the change made; a member that is `null` is removed.
    fn changed_state(&self, mut state: SessionState) -> SessionState {
        state.parameters = with_changes(state.parameters, &self.parameters);
        for (name, value) in &self.credentials {
            state.credentials.set_or_remove(name, value.as_deref());
        }
        state
    }
}

fn session_response(
    gateway: &Gateway,
    id: &str,
    state: &SessionState,
    version: Version,
    status: StatusCode,
) -> Response {
    let mut session = json!({"parameters": (state.parameters.clone())});
    mask_session(&mut session, &gateway.current_build().session_secrets);
    let parameters = session.get_mut("parameters").map(take).unwrap_or_default();
    let credentials = state.credentials.names().map(|name| (name, MASK)).collect();
    let body = JsonText::from_body(&SessionBody { id, parameters, credentials });
    let mut response = (status, body).into_response();
    if let Ok(tag) = HeaderValue::try_from(format!("\"{}\"", version.number())) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

fn absent_session() -> Problem {
    let detail =
        "`PUT /v1/sessions/{id}` stores a session; it ends some time after its last change";
    Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
}

fn version_conflict() -> Problem {
    let detail = "the session is not in the expected version: read it again and repeat the change";
    Problem::new(ProblemKind::PRECONDITION_FAILED, detail)
}

fn store_problem(error: callgate_session::Error) -> Problem {
    match error.kind() {
        ErrorKind::Conflict => version_conflict(),
        _ => error.into(),
    }
}

/// An unusable store is not the request's fault, but a session that is too large is.
impl From<callgate_session::Error> for Problem {
    fn from(error: callgate_session::Error) -> Self {
        match error.kind() {
            ErrorKind::TooLarge => Self::new(ProblemKind::TOO_LARGE, error.to_string()),
            _ if error.is_transient() => {
                let detail = format!("{error}; repeat the request later");
                let wait = error.retry_after().unwrap_or(SOON);
                Self::new(ProblemKind::UNAVAILABLE, detail).with_retry_after(wait)
            }
            _ => Self::new(ProblemKind::UNAVAILABLE, error.to_string()),
        }
    }
}

/// The number of times that a change is retried while others change the session.
const ATTEMPTS: usize = 16;
/// The wait before a request is repeated, unless the store says it.
const SOON: Duration = Duration::from_secs(1);

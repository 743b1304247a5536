//! The session of a turn: what the request brings, and for answers what the turn brought whose calls wait. A call that was
//! approved is the one that was shown, so it needs its values.

use callgate_agent::{EndReason, KeptTurn};
use callgate_tool::{Object, Principal, Session};

use super::envelope::TurnForm;
use crate::{gateway::Gateway, problem::Problem, routes::RouteRequest};

/// The values that the turns of a conversation brought.
pub(super) struct TurnValues {
    gateway: Gateway,
    principal: Option<Principal>,
    session: String,
    agent: String,
    values: Object,
}

/// The session of a turn of an agent, and the values in it that are kept while its calls wait.
pub(super) async fn session_and_kept_values(
    request: &RouteRequest,
    agent: &str,
    form: &mut TurnForm,
) -> Result<(Session, TurnValues), Problem> {
    let (gateway, session) = (request.gateway().clone(), std::mem::take(&mut form.session));
    let principal = request.principal();
    let id = session.members().get("id").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
    let session = if form.is_answer_to_calls() && !id.is_empty() {
        session.with_defaults(gateway.sessions().turn_values(principal, &id, agent).await?)
    } else {
        session
    };
    let values = session.values_without_id();
    let session = request.session(session).await?;
    if session.id().is_none() {
        return Err(Problem::malformed_body(
            "expected `session.id`, under which the conversation is kept, got none",
        ));
    }
    let (principal, agent) = (principal.cloned(), agent.to_owned());
    Ok((session, TurnValues { gateway, principal, session: id, agent, values }))
}

impl TurnValues {
    /// The id of the session.
    pub(super) fn session_id(&self) -> &str {
        &self.session
    }

    /// The values that the turn brought, and those that answers took over.
    pub(super) fn members(&self) -> &Object {
        &self.values
    }

    /// Keeps the values while calls of the turn wait, and removes them otherwise.
    pub(super) async fn keep_or_remove(&self, kept: &KeptTurn) {
        let nothing = Object::new();
        let is_waiting = kept.end.reason == EndReason::Waiting;
        let values = if is_waiting { &self.values } else { &nothing };
        let sessions = self.gateway.sessions();
        let kept =
            sessions.keep_turn_values(self.principal.as_ref(), &self.session, &self.agent, values);
        if let Err(error) = kept.await {
            tracing::warn!(%error, "the answers to the calls of a turn have to bring its session values again");
        }
    }
}

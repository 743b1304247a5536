//! Refuses calls in a session under whose id nothing is stored, if they read a stored value that nothing else can give: the
//! model gives the values of inputs that it sees. The gateway knows what is stored.

use callgate_auth::Authenticator;
use callgate_call::wording;
use callgate_openapi::Operation;
use callgate_tool::{CallerToken, Fault, Session};

/// Refuses the call if nothing is stored under the session's id, and a hidden input or the credential reads a stored value
/// that nothing else gives.
pub(super) fn refuse_unknown_session(
    session: &Session,
    operation: &Operation,
    authenticator: &dyn Authenticator,
) -> Result<(), Box<Fault>> {
    if !session.is_unknown() {
        return Ok(());
    }
    let place = authenticator.session_parameter();
    let lacks_value =
        operation.hidden_session_sources().any(|source| source.is_missing_parameter(session))
            || place.is_some_and(|place| is_stored_value_missing(session, &place));
    if lacks_value { Err(wording::unknown_session()) } else { Ok(()) }
}

/// Reports whether a credential's place is one of stored values, and the session has none there.
fn is_stored_value_missing(session: &Session, place: &str) -> bool {
    if place == CallerToken::PLACE || place.starts_with("$context.") {
        return false;
    }
    match place.strip_prefix("$session.credentials.") {
        Some(name) => session.credential(name).is_none(),
        None => session.parameter(place).is_none(),
    }
}

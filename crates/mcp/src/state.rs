//! The state that a client returns with an answer: the id of an approval, sealed for the principal, the session and the tool of
//! the call. The key exists only in this process; the store of approvals makes sure that a state is used once.

use std::sync::OnceLock;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use callgate_executor::Call;
use callgate_secret::Secret;
use callgate_session::{Key, Owner, Sealer, Space};

/// The place of a call that its state is bound to.
pub(crate) fn place(call: &Call<'_>) -> Key {
    Key::new(Space::Approval, Owner::new(call.principal(), call.session()), call.tool())
}

pub(crate) fn sealed(approval: &str, place: &Key) -> Option<String> {
    let sealed = sealer()?.seal(approval.as_bytes(), place.as_str().as_bytes()).ok()?;
    Some(BASE64_URL_SAFE_NO_PAD.encode(sealed))
}

/// The approval in a state; `None` if the state was changed or belongs to another call.
pub(crate) fn opened(state: &str, place: &Key) -> Option<String> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(state).ok()?;
    String::from_utf8(sealer()?.open(&bytes, place.as_str().as_bytes()).ok()?).ok()
}

/// The sealer of this process; `None` if no random number can be drawn.
fn sealer() -> Option<&'static Sealer> {
    static SEALER: OnceLock<Option<Sealer>> = OnceLock::new();
    let drawn = || {
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Sealer::with_key(&Secret::new(BASE64_URL_SAFE_NO_PAD.encode(key))).ok()
    };
    SEALER.get_or_init(drawn).as_ref()
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Arguments, Principal, Session, ToolCall};

    use super::*;

    fn of(principal: &str, session: &str, tool: &str) -> Key {
        let (call, session) = (ToolCall::new("1", tool, Arguments::new()), Session::new(session));
        place(&Call::new(&call, &session).with_principal(Principal::new(principal)))
    }

    #[test]
    fn an_unchanged_state_opens_for_its_own_call_only() {
        let own = of("kim", "s", "put");
        let state = sealed("approval_1", &own).unwrap();
        assert!(!state.contains("approval"), "{state}");
        assert_eq!(opened(&state, &own).as_deref(), Some("approval_1"));
        for stranger in [of("lee", "s", "put"), of("kim", "t", "put"), of("kim", "s", "get")] {
            assert_eq!(opened(&state, &stranger), None);
        }
        for changed in [format!("{state}-TAMPERED"), format!("A{state}"), String::new()] {
            assert_eq!(opened(&changed, &own), None, "{changed}");
        }
    }
}

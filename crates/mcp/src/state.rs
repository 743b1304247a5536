//! The state that a client returns with an answer: the name of a round or of an approval, sealed for the principal, the session
//! and the tool of the call. It is sealed with a key that follows from that of the store, so that every process of the store
//! opens it; without such a key, only this process does. Stores make sure that a state is used once.

use std::sync::{Arc, OnceLock};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use callgate_executor::Call;
use callgate_secret::Secret;
use callgate_session::{Bounds, Key, Memory, Owner, Sealer, Space, Store};

use crate::host::Host;

/// The place where calls wait for their clients, and the seal of what the clients return.
#[derive(Debug)]
pub(crate) struct Pauses(Arc<dyn Store>);

impl Pauses {
    pub(crate) fn from_host(host: &dyn Host) -> Self {
        Self(host.waiting_call_store().unwrap_or_else(process_memory_store))
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.0
    }

    pub(crate) fn sealed_state(&self, name: &str, place: &Key) -> Option<String> {
        let sealed = self.sealer()?.seal(name.as_bytes(), place.as_str().as_bytes()).ok()?;
        Some(BASE64_URL_SAFE_NO_PAD.encode(sealed))
    }

    /// The name in a state; `None` if the state was changed or belongs to another call.
    pub(crate) fn unsealed_name(&self, state: &str, place: &Key) -> Option<String> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(state).ok()?;
        String::from_utf8(self.sealer()?.open(&bytes, place.as_str().as_bytes()).ok()?).ok()
    }

    fn sealer(&self) -> Option<Arc<Sealer>> {
        self.0.sealer(PURPOSE).map(Arc::new).or_else(process_sealer)
    }
}

/// The place of a call that its state is bound to.
pub(crate) fn state_place(call: &Call<'_>) -> Key {
    Key::new(Space::Approval, Owner::new(call.principal(), call.session()), call.tool())
}

/// The store of this process.
fn process_memory_store() -> Arc<dyn Store> {
    static MEMORY: OnceLock<Arc<Memory>> = OnceLock::new();
    let bounds = Bounds { records: MOST_ROUNDS, bytes: MOST_BYTES };
    Arc::<Memory>::clone(MEMORY.get_or_init(|| Arc::new(Memory::new(bounds))))
}

/// The sealer of this process; `None` if no random number can be drawn.
fn process_sealer() -> Option<Arc<Sealer>> {
    static SEALER: OnceLock<Option<Arc<Sealer>>> = OnceLock::new();
    let drawn = || {
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        let secret = Secret::new(BASE64_URL_SAFE_NO_PAD.encode(key));
        Sealer::with_key(&secret).ok().map(Arc::new)
    };
    SEALER.get_or_init(drawn).clone()
}

const PURPOSE: &str = "MCP requestState";
/// The number of calls that wait at once in a busy office; a new one replaces the oldest of the principal that holds most.
const MOST_ROUNDS: usize = 10_000;
/// The most bytes of all rounds, with the arguments of their calls.
const MOST_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use callgate_tool::{Arguments, Principal, Session, ToolCall};
    use proptest::prelude::*;

    use super::*;

    fn of(principal: &str, session: &str, tool: &str) -> Key {
        let (call, session) = (ToolCall::new("1", tool, Arguments::new()), Session::new(session));
        state_place(&Call::new(&call, &session).with_principal(Principal::new(principal)))
    }

    #[test]
    fn an_unchanged_state_opens_for_its_own_call_only() {
        let (own, pauses) = (of("kim", "s", "put"), Pauses(process_memory_store()));
        let state = pauses.sealed_state("approval_1", &own).unwrap();
        assert!(!state.contains("approval"), "{state}");
        assert_eq!(pauses.unsealed_name(&state, &own).as_deref(), Some("approval_1"));
        for stranger in [of("lee", "s", "put"), of("kim", "t", "put"), of("kim", "s", "get")] {
            assert_eq!(pauses.unsealed_name(&state, &stranger), None);
        }
        for changed in [format!("{state}-TAMPERED"), format!("A{state}"), String::new()] {
            assert_eq!(pauses.unsealed_name(&changed, &own), None, "{changed}");
        }
    }

    proptest! {
        #[test]
        fn a_state_of_which_a_bit_was_changed_is_refused(
            name in ".{0,60}", at in any::<prop::sample::Index>(), bit in 0..8_u32,
        ) {
            let (own, pauses) = (of("kim", "s", "put"), Pauses(process_memory_store()));
            let state = pauses.sealed_state(&name, &own).unwrap();
            prop_assert_eq!(pauses.unsealed_name(&state, &own), Some(name));
            let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&state).unwrap();
            let at_byte = at.index(bytes.len());
            bytes[at_byte] ^= 1_u8 << bit;
            prop_assert_eq!(pauses.unsealed_name(&BASE64_URL_SAFE_NO_PAD.encode(bytes), &own), None);
            let mut text = state.into_bytes();
            let at_letter = at.index(text.len());
            text[at_letter] ^= 1_u8 << bit;
            prop_assert_eq!(pauses.unsealed_name(&String::from_utf8_lossy(&text), &own), None);
        }
    }
}

//! The one definition of "the same call", for idempotency keys, approvals and repeated requests: everything that decides a
//! request, or whom it is for.

use callgate_tool::{Fingerprint, FingerprintHasher, Principal};

use crate::{backend::Backend, call::Call, execution::Execution};

/// The fingerprint of a call: of its tool, arguments, principal, session and side, and of what its backend reads of the
/// session. Two calls with equal fingerprints are one call. Without a backend the whole session counts.
///
/// ```
/// use callgate_executor::{Call, fingerprint};
/// use callgate_tool::{Arguments, Session, ToolCall};
///
/// let asked = ToolCall::new("1", "shop-buy", Arguments::new());
/// let (ada, bob) = (Session::new("ada"), Session::new("bob"));
/// let (of_ada, of_bob) = (Call::new(&asked, &ada), Call::new(&asked, &bob));
/// assert_ne!(fingerprint(&of_ada, None), fingerprint(&of_bob, None));
/// ```
pub fn fingerprint(call: &Call<'_>, backend: Option<&dyn Backend>) -> Fingerprint {
    let mut hasher = call_hasher(call);
    match backend {
        Some(backend) => backend.hash_session(call.session(), &mut hasher),
        None => {
            hasher.add_session(call.session());
        }
    }
    hasher.finish()
}

/// The fingerprint of a call that waits until its user has signed in: it is the same with any credential of its session, and that of no
/// other call.
#[doc(hidden)]
pub fn sign_in_fingerprint(call: &Call<'_>, backend: &dyn Backend) -> Fingerprint {
    let mut hasher = call_hasher(call);
    hasher.add_text("sign-in");
    backend.hash_session(&call.session().without_credentials(), &mut hasher);
    hasher.finish()
}

/// Takes everything that decides a call, but for its session's values.
fn call_hasher(call: &Call<'_>) -> FingerprintHasher {
    let mut hasher = FingerprintHasher::default();
    hasher.add_text(call.tool()).add_object(call.arguments());
    hasher
        .add_optional_text(call.principal().map(Principal::id))
        .add_optional_text(call.session().id());
    let is_clients = call.execution() == Execution::Client;
    hasher.add_text(if is_clients { "client" } else { "server" });
    hasher
}

//! From what a credential or an exchange failed with to a fault. Chooses the sentence; the words are in `call`.

use callgate_auth::ErrorKind as CredentialErrorKind;
use callgate_call::wording;
use callgate_tool::{Effect, Fault, FaultCode, Next, Reached};
use callgate_transport::{Error, ErrorKind, Limits, Reached as Sent};

/// No credential could be put on a request.
pub(super) fn of_credential(error: &callgate_auth::Error) -> Box<Fault> {
    advised(wording::auth_failed(&error.to_string()), error)
}

/// The service refused a credential, and there is no fresh one.
pub(super) fn of_renewal(error: &callgate_auth::Error) -> Box<Fault> {
    advised(wording::auth_not_renewed(&error.to_string()), error)
}

fn advised(mut fault: Box<Fault>, error: &callgate_auth::Error) -> Box<Fault> {
    match error.kind() {
        CredentialErrorKind::MissingSessionValue | CredentialErrorKind::UnusableSessionValue => {
            fault.code = FaultCode::MissingSessionValue;
            fault.next = Next::AskUser;
        }
        _ if error.is_transient() => fault.next = Next::TryLater,
        _ => {}
    }
    fault
}

/// The description names a server that is not public https.
pub(super) fn untrusted_server() -> Box<Fault> {
    wording::refused(
        "the description names a server that is not public https; an operator who trusts it names it with \
         `--server URL`, or `server:` in the configuration",
    )
}

/// A request got no answer.
pub(super) fn of_exchange(error: &Error, limits: &Limits, effect: Effect) -> Box<Fault> {
    match error.kind() {
        ErrorKind::MalformedRecording | ErrorKind::Refused => wording::refused(&error.to_string()),
        ErrorKind::NothingRecorded => wording::nothing_recorded(),
        ErrorKind::TimedOut if error.reached() == Sent::No => {
            wording::unreachable(Reached::No, effect)
        }
        ErrorKind::TimedOut => wording::timed_out(limits.timeout, effect),
        ErrorKind::TooLarge => wording::too_large(limits.response_bytes),
        _ => wording::unreachable(reached(error.reached()), effect),
    }
}

fn reached(sent: Sent) -> Reached {
    match sent {
        Sent::No => Reached::No,
        Sent::Yes => Reached::Yes,
        _ => Reached::Maybe,
    }
}

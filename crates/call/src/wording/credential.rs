//! Sentences about credentials: there is none, or the service rejected it. They never name secrets.

use callgate_tool::{CallerToken, Fault, FaultCode, Next, Reached};

use super::{clipped_text, fault_after_sending, faults};

faults! {
    /// No credential could be put on the request: `why` names the missing part, never its value.
    pub fn auth_failed(why: &str) = AuthFailed, GiveUp:
        "no credential for this tool, nothing was sent: {why}", why = clipped_text(why, 300);

    /// The session does not give the value of a header.
    pub fn no_header_value(why: &str) = MissingSessionValue, GiveUp:
        "{why}, nothing was sent; the value comes from the session, not from arguments", why = clipped_text(why, 300);

    /// The service refused the credential before it did anything, and no fresh one is available: `why` gives the reason.
    pub fn auth_not_renewed(why: &str) = AuthFailed, GiveUp, reached Yes:
        "the service refused the credential and did nothing, and there is no fresh one: {why}", why = clipped_text(why, 300);

    /// The service refused the credential before it did anything: `why` names the problem.
    pub fn auth_refused(why: &str) = AuthFailed, GiveUp, reached Yes:
        "the service refused the credential and did nothing: {why}", why = clipped_text(why, 300);

    /// The service asks for a credential, and none was sent.
    pub fn auth_wanted() = AuthFailed, GiveUp, reached Yes:
        "the service asks for a credential and did nothing; none was sent, and the operator configures one";

    /// The service refused a password that the caller gave among the arguments.
    pub fn sign_in_refused() = ServiceError, CorrectArguments, reached Yes:
        "the service refused what was given to sign in and did nothing; correct the arguments and call again";

    /// The service refused a call without a credential that its description calls open.
    pub fn open_call_refused() = ServiceError, CorrectArguments, reached Yes:
        "the service refused the call without a credential and did nothing; its description asks for none here, so correct the arguments and call again, or say that the operator has to configure one";
}

/// The service refused the token of the session's own user before it did anything: `parameter` is the token's name in the
/// session.
pub fn sign_in_required(parameter: &str) -> Box<Fault> {
    let message = if parameter == CallerToken::PLACE {
        "the service refused what the caller's token was exchanged for and did nothing: the user has to sign in, and the caller to \
         show the new token"
            .to_owned()
    } else {
        let parameter = clipped_text(parameter, 100);
        format!(
            "the service refused the user's token and did nothing: the user has to sign in, and the session to give the new token in `{parameter}`"
        )
    };
    fault_after_sending(FaultCode::SignInRequired, message, Next::AskUser, Reached::Yes)
}

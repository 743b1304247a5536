//! The way a service refuses a credential, in so far as a fresh one could help. Reading it from an answer is the sender's
//! business.

/// The words of an answer with status 401 about the credential.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// It names the token: a challenge for one with the error `invalid_token` or with none (RFC 6750 §3).
    Token,
    /// It does not say what is wrong. A token may be suspect; the request is not sent again.
    Unnamed,
}

//! The error codes of the standards. A server could write anything in their place, and nothing else that it writes is
//! shown.

pub(super) fn standard_code(code: &str) -> Option<&'static str> {
    STANDARD_CODES.into_iter().find(|candidate| *candidate == code)
}

/// The words for any other code.
pub(super) const ITS_OWN: &str = "an error code of its own";

/// The codes of RFC 6749 §4.1.2.1 and §5.2, RFC 7009 §2.2.1, RFC 8628 §3.5, RFC 8693 §2.2.2, RFC 8707 §2 and RFC 9449
/// §5, and those of `OpenID` Connect Core 1.0 §3.1.2.6 that a person can cause.
const STANDARD_CODES: [&str; 20] = [
    "access_denied",
    "authorization_pending",
    "consent_required",
    "expired_token",
    "interaction_required",
    "invalid_client",
    "invalid_dpop_proof",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "login_required",
    "server_error",
    "slow_down",
    "temporarily_unavailable",
    "unauthorized_client",
    "unsupported_grant_type",
    "unsupported_response_type",
    "unsupported_token_type",
    "use_dpop_nonce",
];

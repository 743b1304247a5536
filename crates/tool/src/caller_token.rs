//! The token by which the caller of a request proved who they are. The receiver of the request verified it; this module
//! verifies nothing.

use std::{sync::Arc, time::SystemTime};

use callgate_secret::Secret;

use crate::Principal;

/// A verified token of a caller, valid for one request. callgate may exchange it for another token (RFC 8693); it is sent
/// nowhere else, no input reads it, and no store keeps it.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use callgate_secret::Secret;
/// use callgate_tool::{CallerToken, Principal, Session};
///
/// let expires = SystemTime::now() + Duration::from_mins(5);
/// let token = Secret::new("eyJhbGciOi".to_owned());
/// let token = CallerToken::new(&Principal::new("kim"), token, expires);
/// let session = Session::new("s-1").with_caller_token(token);
/// assert_eq!(session.caller_token().map(CallerToken::principal), Some("kim"));
/// assert!(!format!("{session:?}").contains("eyJhbGciOi"));
/// ```
#[derive(Clone, Debug)]
pub struct CallerToken {
    principal: Arc<str>,
    token: Secret,
    expires: SystemTime,
}

impl CallerToken {
    /// The name of the caller's token in configurations and faults.
    pub const PLACE: &str = "$caller.token";

    /// A token that identifies `principal` and expires at `expires`.
    pub fn new(principal: &Principal, token: Secret, expires: SystemTime) -> Self {
        Self { principal: principal.shared_id(), token, expires }
    }

    /// The id of the principal that the token identifies.
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// The token.
    pub fn token(&self) -> &Secret {
        &self.token
    }

    /// The moment after which callgate uses nothing that was obtained with the token.
    pub fn expires(&self) -> SystemTime {
        self.expires
    }
}

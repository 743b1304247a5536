//! The token by which the caller of a request showed who they are. Whoever received the request verified it; nothing here
//! verifies anything.

use std::{sync::Arc, time::SystemTime};

use callgate_secret::Secret;

use crate::Principal;

/// A verified token of a caller, for the time of one request. It may be exchanged for another one (RFC 8693); it is sent
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
    /// The name that configurations and faults have for it.
    pub const PLACE: &str = "$caller.token";

    /// The token that named `principal`, and its end.
    pub fn new(principal: &Principal, token: Secret, expires: SystemTime) -> Self {
        Self { principal: principal.shared_id(), token, expires }
    }

    /// The id of the principal that it named.
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// The token.
    pub fn token(&self) -> &Secret {
        &self.token
    }

    /// The moment from which nothing that was had for it is used any more.
    pub fn expires(&self) -> SystemTime {
        self.expires
    }
}

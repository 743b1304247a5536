//! A token and its lifetime.

use std::time::Duration;

use callgate_secret::Secret;

use crate::error::{self, Error};

/// A token of a Google account.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Token {
    /// The token, which can be put in a header.
    pub value: Secret,
    /// The time from now for which the token may be used without a new request.
    pub lifetime: Duration,
}

impl Token {
    /// Checks a token and limits its lifetime.
    ///
    /// # Errors
    /// [`ErrorKind::Unexpected`](crate::ErrorKind::Unexpected) if the token is empty or contains a control character
    /// (security row 33).
    pub(crate) fn new(value: String, lifetime: Duration) -> Result<Self, Error> {
        let value = Secret::new(value);
        if value.is_empty() || value.expose_as_token().is_err() {
            return Err(error::unusable_token());
        }
        Ok(Self { value, lifetime: lifetime.min(LONGEST) })
    }
}

/// The longest lifetime that is accepted. Google's tokens are valid for one hour; a longer value from a service is not
/// trusted (threat 34 of `SECURITY.md`).
const LONGEST: Duration = Duration::from_hours(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_jwt_is_refused() {
        for value in ["", "a\r\nX-Evil: 1", "a\0"] {
            assert!(Token::new(value.to_owned(), Duration::ZERO).is_err(), "{value:?}");
        }
        assert_eq!(Token::new("a".to_owned(), Duration::MAX).unwrap().lifetime, LONGEST);
    }
}

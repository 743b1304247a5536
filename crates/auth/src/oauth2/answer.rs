//! The token endpoint's response (RFC 6749 §5.1), read as servers write it: `expires_in` as text, fraction or nonsense,
//! no `token_type`. The cache interprets the fields.

use std::time::Duration;

use oauth2::{AccessToken, RefreshToken, Scope, TokenResponse, basic::BasicTokenType};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A token as the server returned it.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Answer {
    access_token: AccessToken,
    #[serde(default = "bearer", deserialize_with = "token_type")]
    token_type: BasicTokenType,
    #[serde(default)]
    expires_in: Value,
    #[serde(default)]
    refresh_token: Option<RefreshToken>,
    #[serde(default)]
    scope: Value,
}

impl Answer {
    /// The lifetime in seconds, if the response contains one.
    pub(super) fn seconds(&self) -> Option<f64> {
        match &self.expires_in {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The scopes in the response; it names them if they differ from the requested ones (RFC 6749 §5.1).
    pub(super) fn said_scopes(&self) -> Option<Vec<String>> {
        let text = self.scope.as_str()?;
        Some(text.split_ascii_whitespace().map(ToOwned::to_owned).collect())
    }

    /// The access token and the refresh token, without a copy.
    pub(super) fn into_tokens(self) -> (String, Option<String>) {
        (self.access_token.into_secret(), self.refresh_token.map(RefreshToken::into_secret))
    }
}

impl TokenResponse for Answer {
    type TokenType = BasicTokenType;

    fn access_token(&self) -> &AccessToken {
        &self.access_token
    }

    fn token_type(&self) -> &BasicTokenType {
        &self.token_type
    }

    fn expires_in(&self) -> Option<Duration> {
        self.seconds().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    fn refresh_token(&self) -> Option<&RefreshToken> {
        None
    }

    fn scopes(&self) -> Option<&Vec<Scope>> {
        None
    }
}

fn bearer() -> BasicTokenType {
    BasicTokenType::Bearer
}

/// The type of the token. RFC 6749 §5.1: case-insensitive.
fn token_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BasicTokenType, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(match text.map(|text| text.to_lowercase()) {
        None => bearer(),
        Some(text) if text == "bearer" => bearer(),
        Some(text) => BasicTokenType::Extension(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(members: &str, seconds: Option<f64>, token_type: &str) {
        let text = format!("{{\"access_token\":\"canary\"{members}}}");
        let answer: Answer = serde_json::from_str(&text).unwrap();
        assert_eq!(answer.seconds(), seconds, "{text}");
        assert_eq!(answer.token_type().as_ref(), token_type, "{text}");
        assert!(!format!("{answer:?}").contains("canary"));
    }

    #[test]
    fn a_lifetime_is_read_as_servers_write_it() {
        check("", None, "bearer");
        check(",\"expires_in\":3600", Some(3600.0), "bearer");
        check(",\"expires_in\":\"3600\"", Some(3600.0), "bearer");
        check(",\"expires_in\":\" 3600 \"", Some(3600.0), "bearer");
        check(",\"expires_in\":3599.5", Some(3599.5), "bearer");
        check(",\"expires_in\":-5", Some(-5.0), "bearer");
        check(",\"expires_in\":1e12", Some(1e12), "bearer");
        for nothing in ["null", "\"soon\"", "true", "[1]", "{}"] {
            check(&format!(",\"expires_in\":{nothing}"), None, "bearer");
        }
    }

    #[test]
    fn a_token_is_a_bearers_unless_it_says_otherwise() {
        check(",\"token_type\":\"BeArEr\"", None, "bearer");
        check(",\"token_type\":null", None, "bearer");
        check(",\"token_type\":\"DPoP\"", None, "dpop");
    }

    #[test]
    fn an_answer_without_a_token_is_none() {
        for text in ["{}", "{\"access_token\":null}", "{\"access_token\":1}", "[]", "\"x\"", "null"]
        {
            assert!(serde_json::from_str::<Answer>(text).is_err(), "{text}");
        }
    }
}

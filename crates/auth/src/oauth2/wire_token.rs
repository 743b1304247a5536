//! A token as servers write it (RFC 6749 §5.1): `expires_in` as text, fraction or nonsense, scopes as a list, no
//! `token_type` or one of the server's own. The cache interprets the fields.

use std::time::Duration;

use oauth2::{AccessToken, RefreshToken, Scope, TokenResponse, basic::BasicTokenType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "Map<String, Value>")]
pub(super) struct WireToken {
    access_token: AccessToken,
    token_type: BasicTokenType,
    expires_in: Value,
    refresh_token: Option<RefreshToken>,
    scope: Value,
}

impl TryFrom<Map<String, Value>> for WireToken {
    type Error = &'static str;

    fn try_from(mut members: Map<String, Value>) -> Result<Self, Self::Error> {
        let mut member = |name| members.remove(name).unwrap_or_default();
        let text = |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        };
        let access_token = text(member("access_token")).ok_or("no token")?;
        Ok(Self {
            access_token: AccessToken::new(access_token),
            token_type: token_type(member("token_type").as_str().unwrap_or_default()),
            expires_in: member("expires_in"),
            refresh_token: text(member("refresh_token")).map(RefreshToken::new),
            scope: member("scope"),
        })
    }
}

impl WireToken {
    pub(super) fn seconds(&self) -> Option<f64> {
        match &self.expires_in {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The scopes in the response; it names them if they differ from the requested ones (RFC 6749 §5.1).
    pub(super) fn said_scopes(&self) -> Option<Vec<String>> {
        match &self.scope {
            Value::Array(list) => {
                list.iter().map(|scope| scope.as_str().map(ToOwned::to_owned)).collect()
            }
            Value::String(text) => {
                Some(text.split_ascii_whitespace().map(ToOwned::to_owned).collect())
            }
            _ => None,
        }
    }

    /// The scheme that the token is for, if it is not `Bearer`: the request must prove the possession of a key.
    pub(super) fn other_scheme(&self) -> Option<&'static str> {
        let said = self.token_type.as_ref();
        OTHER_SCHEMES.into_iter().find(|scheme| scheme.eq_ignore_ascii_case(said))
    }

    /// The access token and the refresh token, without a copy.
    pub(super) fn into_tokens(self) -> (String, Option<String>) {
        (self.access_token.into_secret(), self.refresh_token.map(RefreshToken::into_secret))
    }
}

impl TokenResponse for WireToken {
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

/// The type of the token. RFC 6749 §5.1: case-insensitive. Servers write many words for a bearer's token
/// (`BearerToken`, `Application Access Token`, nothing); only the types of `OTHER_SCHEMES` are used in another way.
fn token_type(text: &str) -> BasicTokenType {
    let text = text.trim();
    let other = OTHER_SCHEMES.into_iter().find(|scheme| scheme.eq_ignore_ascii_case(text));
    other.map_or(BasicTokenType::Bearer, |scheme| BasicTokenType::Extension(scheme.to_owned()))
}

/// The types of tokens that are no use without a key: RFC 9449, RFC 9421 in GNAP, RFC 8693's neighbours `PoP` and
/// `HoK`, and the drafts of `MAC`.
const OTHER_SCHEMES: [&str; 5] = ["DPoP", "GNAP", "HoK", "MAC", "PoP"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(members: &str, seconds: Option<f64>, token_type: &str) {
        let text = format!("{{\"access_token\":\"canary\"{members}}}");
        let answer: WireToken = serde_json::from_str(&text).unwrap();
        assert_eq!(answer.seconds(), seconds, "{text}");
        assert_eq!(answer.token_type().as_ref(), token_type, "{text}");
        assert!(!format!("{answer:?}").contains("canary"));
    }

    #[test]
    fn the_lifetime_of_a_token_is_read_as_number_or_text() {
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
    fn every_token_type_is_bearer_unless_it_needs_a_key() {
        for token_type in [
            "\"BeArEr\"",
            "\" Bearer \"",
            "\"BearerToken\"",
            "\"\"",
            "null",
            "\"N_A\"",
            "1",
            "[]",
            "\"Application Access Token\"",
            "\"JWT\"",
            "\"bot\"",
        ] {
            check(&format!(",\"token_type\":{token_type}"), None, "bearer");
        }
        for (token_type, scheme) in [("dpop", "DPoP"), ("mac", "MAC"), ("PoP ", "PoP")] {
            check(&format!(",\"token_type\":\"{token_type}\""), None, scheme);
        }
    }

    #[track_caller]
    fn check_scopes(scope: &str, expected: Option<&[&str]>) {
        let text = format!("{{\"access_token\":\"t\",\"scope\":{scope}}}");
        let answer: WireToken = serde_json::from_str(&text).unwrap();
        let expected = expected.map(|scopes| scopes.iter().map(ToString::to_string).collect());
        assert_eq!(answer.said_scopes(), expected, "{text}");
    }

    #[test]
    fn scopes_are_read_from_a_text_and_from_a_list() {
        check_scopes("\"a b\"", Some(&["a", "b"]));
        check_scopes("[\"a\", \"b\"]", Some(&["a", "b"]));
        check_scopes("\"\"", Some(&[]));
        check_scopes("null", None);
        check_scopes("[1]", None);
        check_scopes("{}", None);
    }

    #[test]
    fn a_refresh_token_that_is_a_number_is_ignored() {
        for (other, expected) in [("null", None), ("1", None), ("\"r\"", Some("r".to_owned()))] {
            let text = format!("{{\"access_token\":\"t\",\"refresh_token\":{other}}}");
            let answer: WireToken = serde_json::from_str(&text).unwrap();
            assert_eq!(answer.into_tokens().1, expected, "{text}");
        }
    }

    #[test]
    fn an_answer_without_a_token_is_refused() {
        for text in ["{}", "{\"access_token\":null}", "{\"access_token\":1}", "[]", "\"x\"", "null"]
        {
            assert!(serde_json::from_str::<WireToken>(text).is_err(), "{text}");
        }
    }
}

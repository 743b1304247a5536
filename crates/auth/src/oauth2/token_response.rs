//! A token as servers write it (RFC 6749 §5.1): `expires_in` as text, fraction or nonsense, scopes as a list, no
//! `token_type` or one of the server's own. The cache interprets the fields.

use callgate_secret::Secret;
use serde_json::{Map, Value};

use super::failure::EndpointFailure;

#[derive(Debug)]
pub(super) struct TokenResponse {
    pub(super) token: Secret,
    /// The token's lifetime in seconds.
    pub(super) expires_in: Option<f64>,
    pub(super) refresh_token: Option<Secret>,
    /// The token's scopes, which the response names if they differ from the requested ones (RFC 6749 §5.1).
    pub(super) scopes: Option<Vec<String>>,
}

impl TokenResponse {
    /// Reads the token from the members of a response; without a text at `access_token`, the token is empty.
    pub(super) fn from_members(mut members: Map<String, Value>) -> Result<Self, EndpointFailure> {
        if let Some(scheme) = members.get("token_type").and_then(key_bound_scheme) {
            let why = format!("the token is of the type `{scheme}`, not one for `Bearer`");
            return Err(EndpointFailure::unreadable(why));
        }
        let mut text = |name| match members.remove(name) {
            Some(Value::String(text)) => Secret::new(text),
            _ => Secret::new(String::new()),
        };
        let (token, refresh_token) = (text("access_token"), text("refresh_token"));
        if token.is_empty() || token.expose_as_token().is_err() {
            return Err(EndpointFailure::unreadable(
                "the token is empty, or cannot be put in a header",
            ));
        }
        Ok(Self {
            token,
            expires_in: members.get("expires_in").and_then(parse_seconds),
            refresh_token: Some(refresh_token).filter(|token| !token.is_empty()),
            scopes: members.get("scope").and_then(parse_scopes),
        })
    }
}

fn parse_seconds(expires_in: &Value) -> Option<f64> {
    match expires_in {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn parse_scopes(scope: &Value) -> Option<Vec<String>> {
    match scope {
        Value::Array(list) => list.iter().map(|scope| Some(scope.as_str()?.to_owned())).collect(),
        Value::String(text) => Some(text.split_ascii_whitespace().map(ToOwned::to_owned).collect()),
        _ => None,
    }
}

/// The type of a token that is no use without a key. RFC 6749 §5.1: case-insensitive. Servers write many words for a
/// bearer's token (`BearerToken`, `Application Access Token`, nothing).
fn key_bound_scheme(token_type: &Value) -> Option<&'static str> {
    let text = token_type.as_str()?.trim();
    OTHER_SCHEMES.into_iter().find(|scheme| scheme.eq_ignore_ascii_case(text))
}

/// The types of tokens that are no use without a key: RFC 9449, RFC 9421 in GNAP, RFC 8693's neighbours `PoP` and
/// `HoK`, and the drafts of `MAC`.
const OTHER_SCHEMES: [&str; 5] = ["DPoP", "GNAP", "HoK", "MAC", "PoP"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(members: &str) -> TokenResponse {
        let text = format!("{{\"access_token\":\"canary\"{members}}}");
        let read = TokenResponse::from_members(serde_json::from_str(&text).unwrap()).unwrap();
        assert!(!format!("{read:?}").contains("canary"));
        read
    }

    #[track_caller]
    fn check(expires_in: &str, seconds: Option<f64>) {
        assert_eq!(read(&format!(",\"expires_in\":{expires_in}")).expires_in, seconds);
    }

    #[test]
    fn the_lifetime_of_a_token_is_read_as_number_or_text() {
        assert_eq!(read("").expires_in, None);
        check("3600", Some(3600.0));
        check("\"3600\"", Some(3600.0));
        check("\" 3600 \"", Some(3600.0));
        check("3599.5", Some(3599.5));
        check("-5", Some(-5.0));
        check("1e12", Some(1e12));
        for nothing in ["null", "\"soon\"", "true", "[1]", "{}"] {
            check(nothing, None);
        }
    }

    #[test]
    fn every_token_type_is_bearer_unless_it_needs_a_key() {
        let texts = r#""BeArEr"| " Bearer " | "BearerToken" | "" | null | "N_A" | 1 | []
            | "Application Access Token" | "JWT" | "bot""#;
        for token_type in texts.split('|').map(str::trim) {
            read(&format!(",\"token_type\":{token_type}"));
        }
        for (token_type, scheme) in [("dpop", "DPoP"), ("mac", "MAC"), ("PoP ", "PoP")] {
            assert_eq!(key_bound_scheme(&token_type.into()), Some(scheme), "{token_type}");
        }
    }

    #[track_caller]
    fn check_scopes(scope: &str, expected: Option<&[&str]>) {
        let expected = expected.map(|scopes| scopes.iter().map(ToString::to_string).collect());
        assert_eq!(read(&format!(",\"scope\":{scope}")).scopes, expected, "{scope}");
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
        for (other, expected) in [("null", None), ("1", None), ("\"r\"", Some("r"))] {
            let read = read(&format!(",\"refresh_token\":{other}"));
            assert_eq!(read.refresh_token.as_ref().map(Secret::expose), expected, "{other}");
        }
    }
}

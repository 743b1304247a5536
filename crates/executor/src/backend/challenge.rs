//! Decides whether a response refuses the credential, from its status and its challenges (RFC 9110 §11.6.1).
//! Other modules decide what follows.

use callgate_auth::CredentialRefusal;
use http::{HeaderMap, Response, StatusCode, header::WWW_AUTHENTICATE};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SentCredential {
    Credential,
    Fresh,
    Nothing,
    /// A credential that the service refused; the call may not be sent with a fresh one.
    Once,
}

/// The way the response refuses the credential that was sent; `None` if another credential would not help.
pub(super) fn credential_refusal<T>(response: &Response<T>) -> Option<CredentialRefusal> {
    if response.status() != StatusCode::UNAUTHORIZED {
        return None;
    }
    let challenges = challenges(response.headers());
    let of_tokens = || challenges.iter().filter(|challenge| challenge.is_for_a_token);
    // RFC 6750 §3.1: of its codes only `invalid_token` concerns the token; a challenge without a code names no fault.
    if of_tokens().any(|challenge| matches!(challenge.error, None | Some("invalid_token"))) {
        return Some(CredentialRefusal::Token);
    }
    of_tokens().next().is_none().then_some(CredentialRefusal::Unnamed)
}

#[derive(Debug)]
struct Challenge<'a> {
    is_for_a_token: bool,
    error: Option<&'a str>,
}

fn challenges(headers: &HeaderMap) -> Vec<Challenge<'_>> {
    let mut challenges = Vec::new();
    let values = headers.get_all(WWW_AUTHENTICATE).into_iter();
    for part in values.filter_map(|value| value.to_str().ok()).flat_map(list_elements) {
        let parameter = match scheme_and_rest(part) {
            Some((scheme, rest)) => {
                let is_for_a_token =
                    TOKEN_SCHEMES.iter().any(|ours| scheme.eq_ignore_ascii_case(ours));
                challenges.push(Challenge { is_for_a_token, error: None });
                rest
            }
            None => part,
        };
        if let (Some(challenge), Some(error)) = (challenges.last_mut(), error_code(parameter)) {
            challenge.error = Some(error);
        }
    }
    challenges
}

/// The scheme at the beginning of a list element and the text after it; `None` for a parameter of the previous challenge.
fn scheme_and_rest(element: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = element.split_once([' ', '\t']).unwrap_or((element, ""));
    let rest = rest.trim_start();
    // `error = "x"` with blanks around the sign is also a parameter (RFC 9110 §5.6.3).
    (!scheme.is_empty() && !scheme.contains('=') && !rest.starts_with('='))
        .then_some((scheme, rest))
}

fn error_code(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.split_once('=')?;
    name.trim_end().eq_ignore_ascii_case("error").then(|| value.trim().trim_matches('"'))
}

/// The elements of a list, separated by commas outside quotes.
fn list_elements(value: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let elements = value.split(move |character| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        match character {
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        character == ',' && !is_quoted
    });
    elements.map(str::trim).filter(|element| !element.is_empty())
}

/// The scheme of RFC 6750, and the name that older services give it.
const TOKEN_SCHEMES: [&str; 2] = ["Bearer", "OAuth"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, challenges: &[&str], expected: Option<CredentialRefusal>) {
        let mut response = Response::builder().status(status);
        for challenge in challenges {
            response = response.header(WWW_AUTHENTICATE, *challenge);
        }
        assert_eq!(
            credential_refusal(&response.body(()).unwrap()),
            expected,
            "{status} {challenges:?}"
        );
    }

    #[test]
    fn a_401_with_a_bearer_challenge_refuses_the_token() {
        for challenge in [
            "Bearer",
            "bearer realm=\"a, b\"",
            "Bearer error=\"invalid_token\"",
            "Bearer error=invalid_token",
            "Bearer realm=\"a \\\" b\", error = \"invalid_token\", error_description=\"x, Basic y\"",
            "Basic realm=\"x\", Bearer realm=\"y\", error=\"invalid_token\"",
            "Bearer realm=\"y\", Basic realm=\"error=invalid_request\"",
            "OAuth realm=\"x\"",
            ", ,Bearer",
        ] {
            check(401, &[challenge], Some(CredentialRefusal::Token));
        }
        check(
            401,
            &["Basic realm=\"x\"", "Bearer error=\"invalid_token\""],
            Some(CredentialRefusal::Token),
        );
    }

    #[test]
    fn a_bearer_challenge_with_another_error_code_is_no_refusal_of_the_token() {
        for error in ["insufficient_scope", "invalid_request", "", "x"] {
            check(401, &[&format!("Bearer error=\"{error}\"")], None);
        }
        check(401, &["Bearer error=\"invalid_request\", Basic realm=\"x\""], None);
    }

    #[test]
    fn a_401_without_a_bearer_challenge_names_no_credential() {
        for challenges in
            [&[][..], &["Basic realm=\"Bearer\""], &["\"x", "=, ="], &["Negotiate YII="]]
        {
            check(401, challenges, Some(CredentialRefusal::Unnamed));
        }
    }

    #[test]
    fn only_status_401_refuses_a_credential() {
        for status in [200, 400, 403, 407, 500] {
            check(status, &["Bearer error=\"invalid_token\""], None);
        }
    }
}

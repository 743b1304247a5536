//! Decides whether a response refuses the credential, from its status and its challenges (RFC 9110 §11.6.1), and reads the
//! reason that a challenge gives.
//! Other modules decide what follows.

use callgate_auth::{Challenge, CredentialRefusal, challenges};
use callgate_tool::escape_invisible_in_line;
use http::{Response, StatusCode};

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
    let of_tokens = || challenges.iter().filter(|challenge| is_token_challenge(challenge));
    // RFC 6750 §3.1: of its codes only `invalid_token` concerns the token; a challenge without a code names no fault.
    if of_tokens().any(|challenge| matches!(challenge.error, None | Some("invalid_token"))) {
        return Some(CredentialRefusal::Token);
    }
    of_tokens().next().is_none().then_some(CredentialRefusal::Unnamed)
}

/// The reason in the challenges of a response: the description of the error, or else its code, and the scope that a token
/// lacks (RFC 6750 §3.1). `None` if they give none.
pub(super) fn refusal_reason<T>(response: &Response<T>) -> Option<String> {
    let challenges = challenges(response.headers());
    let (challenge, text) =
        challenges.iter().find_map(|challenge| Some((challenge, challenge.reason()?)))?;
    let Challenge { error, scope, .. } = challenge;
    let mut reason = format!("it says `{}`", shortened_reason(text));
    if let Some(scope) = scope.filter(|_| *error == Some("insufficient_scope")) {
        reason.push_str(&format!(" and asks for the scope `{}`", shortened_reason(scope)));
    }
    Some(reason)
}

fn is_token_challenge(challenge: &Challenge<'_>) -> bool {
    TOKEN_SCHEMES.iter().any(|ours| challenge.scheme.eq_ignore_ascii_case(ours))
}

/// The words of a service on one line, cut to the length of a reason.
fn shortened_reason(text: &str) -> String {
    escape_invisible_in_line(text.trim()).chars().take(LONGEST_REASON).collect()
}

/// The most characters of a reason or a scope that are shown.
const LONGEST_REASON: usize = 120;

/// The scheme of RFC 6750, and the name that older services give it.
const TOKEN_SCHEMES: [&str; 2] = ["Bearer", "OAuth"];

#[cfg(test)]
mod tests {
    use callgate_testkit::rows;
    use http::header::WWW_AUTHENTICATE;

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
    fn the_reason_of_a_challenge_is_its_description_and_the_scope_that_a_token_lacks() {
        for [challenge, expected] in rows(
            r#"
            Bearer error="invalid_token", error_description="The \"token\" expired" => it says `The "token" expired`
            Bearer realm="a", error=invalid_token => it says `invalid_token`
            Bearer error="insufficient_scope", scope="a b" => it says `insufficient_scope` and asks for the scope `a b`
            Basic realm="x", DPoP error="use_dpop_nonce", scope="a" => it says `use_dpop_nonce`
            Bearer scope="a" =>
            Bearer error="" =>
            Basic realm="error=x" =>
            "#,
        ) {
            let expected = (!expected.is_empty()).then_some(expected);
            let response = Response::builder().header(WWW_AUTHENTICATE, challenge);
            let reason = refusal_reason(&response.body(()).unwrap());
            assert_eq!(reason.as_deref(), expected, "{challenge}");
        }
        let long = format!("Bearer error_description=\"{}\"", "x".repeat(1000));
        let response = Response::builder().header(WWW_AUTHENTICATE, long).body(()).unwrap();
        assert!(refusal_reason(&response).is_some_and(|reason| reason.len() < 140));
    }

    #[test]
    fn only_status_401_refuses_a_credential() {
        for status in [200, 400, 403, 407, 500] {
            check(status, &["Bearer error=\"invalid_token\""], None);
        }
    }
}

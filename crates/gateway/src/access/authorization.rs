//! The header `Authorization` with a bearer token (RFC 6750 §2.1). A token in the query or in a form is never accepted.

use http::{HeaderMap, header};

use crate::problem::{Problem, ProblemKind};

/// The token of a request; `None` if the header is absent.
pub(super) fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let token = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        let token = token.trim_matches(' ');
        let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        (scheme.eq_ignore_ascii_case("bearer") && is_token).then_some(token)
    });
    if token.is_some() && values.next().is_none() {
        return Ok(token);
    }
    let detail = "expected one `Authorization: Bearer …`";
    Err(Problem::new(ProblemKind::UNAUTHENTICATED, detail))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(values: &[&str], expected: Result<Option<&str>, ()>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        assert_eq!(bearer_token(&headers).map_err(drop), expected, "{values:?}");
    }

    #[test]
    fn an_authorization_header_must_have_one_bearer_token() {
        check(&[], Ok(None));
        check(&["Bearer abc"], Ok(Some("abc")));
        check(&["bearer  abc"], Ok(Some("abc")));
        check(&["Bearer"], Err(()));
        check(&["Bearer "], Err(()));
        check(&["Bearer a b"], Err(()));
        check(&["Basic YTpi"], Err(()));
        check(&["Bearer abc", "Bearer abc"], Err(()));
    }
}

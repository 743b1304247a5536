//! Masks the credentials of a call in its response: a service may echo what it received. This module masks the bytes that
//! are kept; `call` masks the decoded content, and `secret` finds the credentials.

use std::borrow::Cow;

use bytes::Bytes;
use callgate_secret::Masker;
use callgate_tool::Value;
use http::{HeaderValue, Response};

pub(super) fn without_secrets_in_headers(
    mut response: Response<Bytes>,
    masker: &Masker<'_>,
) -> Response<Bytes> {
    for value in response.headers_mut().values_mut() {
        if let Cow::Owned(masked) = masker.mask(value.as_bytes()) {
            // Masking only adds `*`, which a header value may hold.
            *value = HeaderValue::from_bytes(&masked).unwrap_or(HeaderValue::from_static(""));
        }
    }
    response
}

/// The response with every secret masked in its body; `None` if the body holds no secret.
pub(super) fn without_secrets_in_body(
    response: &Response<Bytes>,
    masker: &Masker<'_>,
) -> Option<Response<Bytes>> {
    let Cow::Owned(masked) = masker.mask(response.body()) else { return None };
    let mut kept = response.clone();
    *kept.body_mut() = Bytes::from(masked);
    Some(kept)
}

/// The response with every secret masked in its body. JSON stays JSON: a mask in place of a number would break it.
pub(super) fn masked_keeping_valid_json(
    response: &Response<Bytes>,
    masker: &Masker<'_>,
) -> Option<Response<Bytes>> {
    let mut kept = without_secrets_in_body(response, masker)?;
    let was_json = Value::from_slice(response.body()).ok();
    if let (Some(mut json), Err(_)) = (was_json, Value::from_slice(kept.body())) {
        json.mask_secrets(masker);
        *kept.body_mut() = Bytes::from(json.to_string());
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use callgate_secret::Secret;

    use super::*;

    #[test]
    fn a_credential_is_masked_in_headers_and_body() {
        let answer = Response::builder().header("x-echo", "Bearer canary-token");
        let answer = answer.body(Bytes::from_static(b"{\"sent\":\"canary-token\"}")).unwrap();
        let masker = Masker::new(vec![Secret::new("canary-token".to_owned())]);
        let answer = without_secrets_in_headers(answer, &masker);
        assert_eq!(answer.headers()["x-echo"], "Bearer ****");
        let masked = without_secrets_in_body(&answer, &masker).unwrap();
        assert_eq!(masked.body(), "{\"sent\":\"****\"}");
        assert!(without_secrets_in_body(&masked, &masker).is_none());
    }

    #[test]
    fn json_with_a_credential_for_a_number_stays_json() {
        let masker = Masker::new(vec![Secret::new("9876543".to_owned())]);
        for (body, expected) in [
            ("{\"a\": 9876543, \"b\": \"9876543\"}", "{\"a\":\"****\",\"b\":\"****\"}"),
            ("{\"a\": \"9876543\"}", "{\"a\": \"****\"}"),
            ("9876543, 1", "****, 1"),
        ] {
            let answer = Response::new(Bytes::from(body));
            let masked = masked_keeping_valid_json(&answer, &masker).unwrap();
            assert_eq!(masked.body(), expected, "{body}");
        }
    }
}

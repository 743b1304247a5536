//! Takes the credentials of a call out of its answer: a service may echo what it was sent. Runs on the bytes, before
//! anything reads them; finding them is the business of `secret`.

use std::borrow::Cow;

use bytes::Bytes;
use callgate_secret::{Masker, Secret};
use http::{HeaderValue, Response};

/// The answer with every one of the secrets masked, in headers and body.
pub(super) fn masked(mut response: Response<Bytes>, secrets: &[Secret]) -> Response<Bytes> {
    let masker = Masker::new(secrets);
    if masker.is_empty() {
        return response;
    }
    for value in response.headers_mut().values_mut() {
        if let Cow::Owned(masked) = masker.mask(value.as_bytes()) {
            // Masking a header value only adds `*`, which one may hold.
            *value = HeaderValue::from_bytes(&masked).unwrap_or(HeaderValue::from_static(""));
        }
    }
    if let Cow::Owned(masked) = masker.mask(response.body()) {
        *response.body_mut() = Bytes::from(masked);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_masked_in_headers_and_body() {
        let answer = Response::builder().header("x-echo", "Bearer canary-token");
        let answer = answer.body(Bytes::from_static(b"{\"sent\":\"canary-token\"}")).unwrap();
        let masked = masked(answer, &[Secret::new("canary-token".to_owned())]);
        assert_eq!(masked.headers()["x-echo"], "Bearer ****");
        assert_eq!(masked.body(), "{\"sent\":\"****\"}");
    }
}

//! JSON responses that are serialized only once.

use axum::response::{IntoResponse, Response};
use callgate_config::Built;
use http::{HeaderName, HeaderValue, header};
use serde::Serialize;

pub(crate) fn put_configuration_digest<B>(response: &mut Response<B>, built: &Built) {
    if let Ok(digest) = HeaderValue::from_str(&built.digest().to_string()) {
        response.headers_mut().insert(HeaderName::from_static("callgate-configuration"), digest);
    }
}

#[derive(Debug)]
pub(crate) struct JsonText(pub(crate) String);

impl JsonText {
    pub(crate) fn from_body<T: Serialize>(body: &T) -> Self {
        Self(serde_json::to_string(body).unwrap_or_default())
    }
}

impl IntoResponse for JsonText {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

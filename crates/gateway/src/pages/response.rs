//! Responses for a browser, and the headers that keep foreign code out of every page.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{Answer, PageRequest};

/// The response to a request for a page.
#[derive(Debug)]
pub struct PageResponse(Response);

impl PageResponse {
    /// A page.
    pub fn html(status: u16, text: String) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, "text/html; charset=utf-8", text.into())
            .with_header("cache-control", "no-store")
    }

    /// A short text for a script.
    pub fn text(status: u16, text: String) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, "text/plain; charset=utf-8", text.into())
            .with_header("cache-control", "no-store")
    }

    /// A file that is the same for every request, or nothing if the browser has it.
    pub fn asset_unless_cached(
        request: &PageRequest,
        media_type: &'static str,
        tag: &str,
        bytes: &'static [u8],
    ) -> Self {
        let tag = format!("\"{tag}\"");
        let response = if request.header("if-none-match") == tag {
            Self::new(StatusCode::NOT_MODIFIED, media_type, Body::empty())
        } else {
            Self::new(StatusCode::OK, media_type, bytes.into())
        };
        response.with_header("etag", &tag).with_header("cache-control", "no-cache")
    }

    /// A file to save under a name of letters, digits, `.`, `-` and `_`; other characters become `_`.
    pub fn download(name: &str, bytes: impl Into<bytes::Bytes>) -> Self {
        Self::download_body(name, bytes.into().into())
    }

    /// The body of one of the sidecar's own paths as a file to save, however large it is.
    pub fn download_answer(name: &str, answer: Answer) -> Self {
        Self::download_body(name, answer.response.into_body())
    }

    fn download_body(name: &str, body: Body) -> Self {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '_');
        let name: String = name.chars().map(|it| if is_plain(it) { it } else { '_' }).collect();
        let response = Self::new(StatusCode::OK, "application/octet-stream", body);
        let disposition = format!("attachment; filename=\"{name}\"");
        response
            .with_header("content-disposition", &disposition)
            .with_header("cache-control", "no-store")
    }

    /// Another page to open instead.
    pub fn redirect(path: &str) -> Self {
        let response = Self::new(StatusCode::SEE_OTHER, "text/plain", Body::empty());
        response.with_header("location", path).with_header("cache-control", "no-store")
    }

    /// The response of one of the sidecar's own paths as it is, such as events.
    pub fn forward(answer: Answer) -> Self {
        Self(answer.response)
    }

    pub(super) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.0.headers_mut().insert(HeaderName::from_static(name), value);
        }
        self
    }

    fn new(status: StatusCode, media_type: &'static str, body: Body) -> Self {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let media_type = HeaderValue::from_static(media_type);
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
        Self(response)
    }
}

impl IntoResponse for PageResponse {
    fn into_response(self) -> Response {
        self.0
    }
}

/// Puts the headers on a response that keep other origins and code of strangers out.
pub(super) fn put_security_headers(headers: &mut HeaderMap) {
    for (name, value) in GUARDS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// `same-origin`, because without a referrer a browser names no origin in the forms that it sends.
const GUARDS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

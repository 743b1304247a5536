//! The span of one request, by OpenTelemetry's conventions for HTTP.

use bytes::Bytes;
use http::{Request, StatusCode};
use tracing::{Span, field::Empty};

/// The span of a request by a template of a path. It holds neither the path nor the query, which may be private.
pub(super) fn request_span(request: &Request<Bytes>, template: &str) -> Span {
    let (method, uri) = (request.method().as_str(), request.uri());
    let usual = if uri.scheme_str() == Some("http") { 80 } else { 443 };
    tracing::debug_span!(
        "request",
        "otel.name" = format!("{method} {template}"),
        "otel.kind" = "client",
        "otel.status_code" = Empty,
        "http.request.method" = method,
        "server.address" = uri.host().unwrap_or_default(),
        "server.port" = i64::from(uri.port_u16().unwrap_or(usual)),
        "url.template" = template,
        "http.response.status_code" = Empty,
        "error.type" = Empty,
    )
}

/// Notes the status of the response, which is an error of its span where it is one of the request or of the service.
pub(super) fn note_status(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_client_error() || status.is_server_error() {
        span.record("error.type", status.as_str());
        span.record("otel.status_code", "ERROR");
    }
}

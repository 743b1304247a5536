//! The span of one HTTP request, in which its calls lie: method, route and status, and the caller's trace. Neither query nor
//! body is a part of it.

use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use tracing::{Instrument, field::Empty};

/// Runs what answers a request within its span.
pub(crate) async fn traced(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let span = tracing::debug_span!(
        "gateway",
        "otel.kind" = "server",
        "http.request.method" = request.method().as_str(),
        "http.route" = route,
        "http.response.status_code" = Empty,
    );
    #[cfg(feature = "otel")]
    if let Some(trace) = super::trace_of(request.headers()) {
        super::otel::adopt(&span, &trace);
    }
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    response
}

//! The span of one HTTP request, around its calls: method, route and status, and the caller's trace. It holds neither query
//! nor body.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    extract::{MatchedPath, Request},
    response::Response,
};
#[cfg(not(feature = "otel"))]
use callgate_executor::TraceContext;
use futures_util::future::{BoxFuture, Either, FutureExt};
use tower_layer::Layer;
use tower_service::Service;
use tracing::{Instrument, Span, field::Empty};

use super::{RequestFacts, request_line};

/// Runs the handler of a request within the request's span. Costs almost nothing if nobody records spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced;

#[derive(Clone, Debug)]
pub(crate) struct InSpan<S>(S);

impl<S> Layer<S> for Traced {
    type Service = InSpan<S>;

    fn layer(&self, inner: S) -> InSpan<S> {
        InSpan(inner)
    }
}

impl<S> Service<Request> for InSpan<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let span = request_span(&request);
        if let Some(facts) = request.extensions().get::<Arc<RequestFacts>>() {
            set_route_and_trace(facts, &request, &span);
        }
        if span.is_disabled() {
            return Either::Left(self.0.call(request));
        }
        let answered = self.0.call(request).instrument(span.clone());
        let recorded = answered.map(move |Ok(response)| {
            // Traces have no unsigned numbers: one of those would be a text.
            let status = response.status();
            span.record("http.response.status_code", i64::from(status.as_u16()));
            if status.is_server_error() {
                span.record("error.type", status.as_str());
                span.record("otel.status_code", "ERROR");
            }
            Ok(response)
        });
        Either::Right(recorded.boxed())
    }
}

fn set_route_and_trace(facts: &RequestFacts, request: &Request, span: &Span) {
    if let Some(route) = request.extensions().get() {
        facts.set_route(route);
    }
    #[cfg(feature = "otel")]
    let own = (!span.is_disabled()).then(|| span.in_scope(super::otel::current_trace)).flatten();
    #[cfg(not(feature = "otel"))]
    let own = Option::<TraceContext>::None.filter(|_| !span.is_disabled());
    if let Some(trace) = own.or_else(|| super::trace_from_headers(request.headers())) {
        facts.set_trace(trace.trace_id());
    }
}

/// The name of OpenTelemetry's conventions for HTTP.
fn span_name(method: &str, route: &str) -> String {
    if route.is_empty() { method.to_owned() } else { format!("{method} {route}") }
}

fn request_span(request: &Request) -> Span {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    // Each scrape would be a trace of its own.
    if request_line::is_probe(route) {
        return Span::none();
    }
    let method = request.method().as_str();
    let span = tracing::debug_span!(
        "gateway",
        "otel.name" = span_name(method, route),
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "http.request.method" = method,
        "http.route" = route,
        "http.response.status_code" = Empty,
        "error.type" = Empty,
    );
    #[cfg(feature = "otel")]
    if !span.is_disabled()
        && let Some(trace) = super::trace_from_headers(request.headers())
    {
        super::otel::set_parent(&span, &trace);
    }
    span
}

//! The record of one HTTP request, for a log that is read by programs: written when its response has been sent, or when its
//! caller has left. It has neither query, body, address nor session, and of the path only its template.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
};

use axum::extract::MatchedPath;
use callgate_tool::Principal;
use http::{Method, Request, Response};
use hyper::body::{Body, Buf, Frame, SizeHint};
use tokio::time::Instant;
use tracing::Level;

use super::{log::REQUESTS, path_template::path_template};

/// A request that is being answered. Dropping it writes the record.
#[derive(Debug)]
pub(crate) struct RequestLine {
    method: Method,
    started: Instant,
    facts: Arc<RequestFacts>,
    /// The path, where the router does not come to see it.
    template: Option<&'static str>,
    status: Option<u16>,
    bytes: u64,
    /// True if the caller left before the end of the response.
    has_left: bool,
}

#[derive(Debug, Default)]
pub(crate) struct RequestFacts {
    route: OnceLock<MatchedPath>,
    principal: OnceLock<Principal>,
    trace: OnceLock<u128>,
}

#[derive(Debug)]
pub(crate) struct RecordedBody<B> {
    body: B,
    line: Option<RequestLine>,
}

/// Makes a method that writes the record at a level, which has to be a constant.
macro_rules! write_as {
    ($name:ident, $level:expr) => {
        fn $name(&self) {
            let facts = &self.facts;
            let trace = facts.trace.get().map(|trace| tracing::field::display(HexTrace(*trace)));
            tracing::event!(
                target: REQUESTS,
                parent: None,
                $level,
                method = self.method.as_str(),
                path = self.route_template(),
                status = self.status,
                ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
                bytes = self.bytes,
                principal = facts.principal.get().map(Principal::id),
                trace,
                left = self.has_left.then_some(true),
                "request ended"
            );
        }
    };
}

impl RequestFacts {
    pub(super) fn set_route(&self, route: &MatchedPath) {
        self.route.set(route.clone()).ok();
    }

    pub(crate) fn set_principal(&self, principal: &Principal) {
        self.principal.set(principal.clone()).ok();
    }

    pub(super) fn set_trace(&self, trace: u128) {
        self.trace.set(trace).ok();
    }
}

impl RequestLine {
    /// The record of a request that has just come; `None` if nobody reads it.
    pub(crate) fn begin_if_logged<B>(request: &mut Request<B>) -> Option<Self> {
        let template = path_template(request.uri().path());
        let is_read = if template.is_some_and(is_probe) {
            tracing::enabled!(target: REQUESTS, Level::DEBUG)
        } else {
            tracing::enabled!(target: REQUESTS, Level::INFO)
        };
        if !is_read {
            return None;
        }
        let facts = Arc::<RequestFacts>::default();
        request.extensions_mut().insert(Arc::clone(&facts));
        let (method, started) = (request.method().clone(), Instant::now());
        Some(Self { method, started, facts, template, status: None, bytes: 0, has_left: true })
    }

    fn route_template(&self) -> Option<&str> {
        self.facts.route.get().map(MatchedPath::as_str).or(self.template)
    }

    write_as!(write_debug, Level::DEBUG);
    write_as!(write_info, Level::INFO);
}

impl Drop for RequestLine {
    fn drop(&mut self) {
        if self.route_template().is_some_and(is_probe) {
            self.write_debug();
        } else {
            self.write_info();
        }
    }
}

impl<B: Body> RecordedBody<B> {
    pub(crate) fn wrap_response(
        response: Response<B>,
        line: Option<RequestLine>,
    ) -> Response<Self> {
        let status = response.status().as_u16();
        response.map(|body| {
            let body_length = if body.is_end_stream() { Some(0) } else { body.size_hint().exact() };
            let line = line.map(|mut line| {
                line.status = Some(status);
                line.bytes = body_length.unwrap_or_default();
                line.has_left = body_length.is_none();
                line
            });
            Self { body, line }
        })
    }

    /// Counts a piece of a body whose length was not known.
    fn count_frame(&mut self, frame: Option<&Frame<B::Data>>) {
        let Some(line) = self.line.as_mut().filter(|line| line.has_left) else { return };
        match frame {
            Some(frame) => {
                let n_bytes = frame.data_ref().map_or(0, Buf::remaining);
                line.bytes += u64::try_from(n_bytes).unwrap_or(u64::MAX);
            }
            None => line.has_left = false,
        }
    }
}

impl<B: Body + Unpin> Body for RecordedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => this.count_frame(Some(frame)),
            Poll::Ready(None) => this.count_frame(None),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// True for the paths that are requested all the time and say nothing about callers.
pub(super) fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/metrics" | "/readyz")
}

struct HexTrace(u128);

callgate_secret::text!(HexTrace: Self(trace) => "{trace:032x}");

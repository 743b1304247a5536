//! Sends a request, and once more over a new connection if the rule in `repeat` says so for what the connection did.

use std::sync::Arc;

use bytes::Bytes;
use callgate_tool::Reached;
use http::{Extensions, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::{Error as ClientError, ResponseFuture};
use rustls::Error as TlsError;

use crate::{
    connection_info::Note,
    error::{self, Error, cause_of_type},
    network::Pool,
    repeat::{AttemptEnd, Repeat, RequestKind, repetition_after},
    tls::run_noting_certificate_ask,
    tls_fault::TlsFault,
};

/// Marks the response to a request that was sent again, because the service had closed the first connection or had not
/// processed the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SentAgain;

/// A request that the HTTP client has, and the copy for a repetition. Small: the future that waits for the response holds it.
pub(crate) struct Attempt {
    pool: Arc<Pool>,
    sent: ResponseFuture,
    again: Box<Request<Full<Bytes>>>,
    kind: RequestKind,
    has_identity: bool,
}

impl Attempt {
    /// Queues a request for a connection of the pool. Nothing is sent until the response is awaited.
    ///
    /// The HTTP client itself puts a request into the queue of another connection if the one it had was closed before it took
    /// the request: no byte was written then, so that nothing is sent twice.
    pub(crate) fn new(
        pool: Arc<Pool>,
        request: Request<Full<Bytes>>,
        kind: RequestKind,
        has_identity: bool,
    ) -> Self {
        let again = Box::new(request.clone());
        let sent = pool.send_on_pooled_connection(request);
        Self { pool, sent, again, kind, has_identity }
    }

    /// Waits for the response, after one repetition over a new connection if needed. The result says whether there was one.
    pub(crate) async fn response_or_one_repetition(self) -> Result<AttemptResponse, Error> {
        let Self { pool, sent, again, kind, has_identity } = self;
        let failure = match wait_without_repetition(sent, has_identity).await {
            Ok(response) => return Ok(AttemptResponse { response, again: None, pool }),
            Err(failure) => failure,
        };
        if repetition_after(failure.attempt_end(), kind.with_method_override(again.headers()))
            != Repeat::AtOnce
        {
            return Err(failure);
        }
        // Few requests fail; boxing keeps the future of the others small.
        let response =
            Box::pin(send_over_new_connection(&pool, again, has_identity, failure)).await?;
        Ok(AttemptResponse { response, again: Some(SentAgain), pool })
    }
}

pub(crate) struct AttemptResponse {
    pub(crate) response: Response<Incoming>,
    pub(crate) again: Option<SentAgain>,
    pub(crate) pool: Arc<Pool>,
}

/// Sends the request over a new connection: another one of the pool may have been closed at this moment too.
async fn send_over_new_connection(
    pool: &Pool,
    request: Box<Request<Full<Bytes>>>,
    has_identity: bool,
    first: Error,
) -> Result<Response<Incoming>, Error> {
    let sent = wait_without_repetition(pool.send_on_new_connection(*request), has_identity).await;
    sent.map_err(|second| {
        // The first request may have reached the service, whatever happened to the second.
        let error = if first.reached_service() == Reached::No { second } else { first };
        error.with_repetition()
    })
}

async fn wait_without_repetition(
    sent: ResponseFuture,
    has_identity: bool,
) -> Result<Response<Incoming>, Error> {
    let (sent, is_asked) = run_noting_certificate_ask(sent).await;
    sent.map_err(|source| attempt_failure(source, is_asked, has_identity))
}

/// Returns true if a service reports in HTTP/2 that it did not process the request (RFC 9113 §8.7).
fn is_http2_refusal(source: &ClientError) -> bool {
    let said = cause_of_type::<h2::Error>(source).filter(|said| said.is_remote());
    said.is_some_and(|said| {
        let is_leaving = said.is_go_away() && said.reason() == Some(h2::Reason::NO_ERROR);
        is_leaving || (said.is_reset() && said.reason() == Some(h2::Reason::REFUSED_STREAM))
    })
}

/// Returns true if the request went over a connection that had carried a response before, and the connection ended without a
/// word of the service about the request.
fn is_reused_connection_end(source: &ClientError) -> bool {
    let mut extras = Extensions::new();
    source.connect_info().into_iter().for_each(|connected| connected.get_extras(&mut extras));
    let is_word = cause_of_type::<h2::Error>(source).is_some_and(h2::Error::is_remote);
    !is_word && extras.get::<Note>().is_some_and(Note::has_carried_response)
}

fn attempt_failure(source: ClientError, is_asked: bool, has_identity: bool) -> Error {
    if let Some(tls) = cause_of_type::<TlsError>(&source) {
        let fault = TlsFault::from_error(tls, is_asked, has_identity);
        // In TLS 1.3 the client sends the request before the service rejects our certificate; the service does not read it.
        let reached = if source.is_connect() || fault.is_about_client_certificate() {
            Reached::No
        } else {
            Reached::Maybe
        };
        return error::tls_fault_error(fault, reached).with_source(source);
    }
    if source.is_connect() {
        return error::connecting_error(source);
    }
    let said = cause_of_type::<hyper::Error>(&source);
    if said.is_some_and(hyper::Error::is_canceled) {
        return error::sending_error(source, AttemptEnd::NotWritten);
    }
    if is_http2_refusal(&source) {
        return error::sending_error(source, AttemptEnd::NotProcessed);
    }
    if said.is_some_and(|said| said.is_parse() || said.is_user()) {
        return error::sending_error(source, AttemptEnd::Final);
    }
    if is_asked {
        // The HTTP client does not always pass on why a service closed the connection. This one asked for a certificate.
        let fault = TlsFault::for_client_certificate(has_identity);
        return error::tls_fault_error(fault, Reached::Maybe).with_source(source);
    }
    let is_kept = is_reused_connection_end(&source);
    let end = if is_kept { AttemptEnd::KeptConnectionClosed } else { AttemptEnd::ConnectionBroken };
    error::sending_error(source, end)
}

//! Sends a request, and retries it once if a retry is harmless: no part of it was sent, or the connection closed before the
//! head of a response and the method may be repeated (RFC 9110 §9.2.2). Other failures are reported without a retry.

use std::sync::Arc;

use bytes::Bytes;
use callgate_tool::Reached;
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::{Error as ClientError, ResponseFuture};
use rustls::Error as TlsError;

use crate::{
    error::{self, Error, ErrorKind, cause},
    network::Pool,
    tls::noting_certificate_requests,
    tls_fault::TlsFault,
};

/// Marks the response to a request that was sent twice, because the service had closed the first connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SentAgain;

/// A request that the HTTP client has, and the copy for a retry. Small: the future that waits for the response holds it.
pub(crate) struct Attempt {
    pool: Arc<Pool>,
    sent: ResponseFuture,
    again: Box<Request<Full<Bytes>>>,
    has_identity: bool,
}

impl Attempt {
    /// Queues a request for a connection of the pool. Nothing is sent until the response is awaited.
    pub(crate) fn new(pool: Arc<Pool>, request: Request<Full<Bytes>>, has_identity: bool) -> Self {
        let again = Box::new(request.clone());
        let sent = pool.send(request);
        Self { pool, sent, again, has_identity }
    }

    /// Waits for the response, after one retry over a new connection if needed. The result says whether there was a retry.
    pub(crate) async fn answer(self) -> Result<AttemptResponse, Error> {
        let Self { pool, sent, again, has_identity } = self;
        match once(sent, has_identity).await {
            Ok(response) => Ok(AttemptResponse { response, again: None, pool }),
            // Few requests fail; boxing keeps the future of the others small.
            Err(failure) => {
                let sent = Box::pin(send_again(&pool, again, has_identity, failure)).await;
                let (response, again) = sent?;
                Ok(AttemptResponse { response, again, pool })
            }
        }
    }
}

pub(crate) struct AttemptResponse {
    pub(crate) response: Response<Incoming>,
    pub(crate) again: Option<SentAgain>,
    pub(crate) pool: Arc<Pool>,
}

/// Sends the request over a new connection if a retry is harmless after this failure.
async fn send_again(
    pool: &Pool,
    request: Box<Request<Full<Bytes>>>,
    has_identity: bool,
    failure: FailedAttempt,
) -> Result<(Response<Incoming>, Option<SentAgain>), Error> {
    if !failure.repeat.allows(&request) {
        return Err(failure.error);
    }
    // Another connection of the pool may have been closed at this moment too.
    match once(pool.send_anew(*request), has_identity).await {
        Ok(response) => Ok((response, Some(SentAgain))),
        // The first request may have reached the service, whatever happened to the second.
        Err(second) if failure.error.reached() == Reached::No => Err(second.error),
        Err(_) => Err(failure.error),
    }
}

struct FailedAttempt {
    error: Error,
    repeat: Repeat,
}

#[derive(Clone, Copy)]
enum Repeat {
    Always,
    Idempotent,
    Never,
}

impl Repeat {
    fn allows<B>(self, request: &Request<B>) -> bool {
        match self {
            Self::Always => true,
            Self::Idempotent => {
                request.method().is_idempotent() && !overrides_method(request.headers())
            }
            Self::Never => false,
        }
    }
}

/// Returns true if a header asks for another method than the request line, so that an apparent read may be a write.
pub fn overrides_method(headers: &HeaderMap) -> bool {
    ["x-http-method", "x-http-method-override", "x-method-override"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

async fn once(
    sent: ResponseFuture,
    has_identity: bool,
) -> Result<Response<Incoming>, FailedAttempt> {
    let (sent, is_asked) = noting_certificate_requests(sent).await;
    sent.map_err(|source| failure(source, is_asked, has_identity))
}

/// Returns true if a service reports in HTTP/2 that it did not process the request (RFC 9113 §8.7).
fn is_turned_away(source: &ClientError) -> bool {
    let said = cause::<h2::Error>(source).filter(|said| said.is_remote());
    said.is_some_and(|said| {
        let is_leaving = said.is_go_away() && said.reason() == Some(h2::Reason::NO_ERROR);
        is_leaving || (said.is_reset() && said.reason() == Some(h2::Reason::REFUSED_STREAM))
    })
}

fn failure(source: ClientError, is_asked: bool, has_identity: bool) -> FailedAttempt {
    let never = |error| FailedAttempt { error, repeat: Repeat::Never };
    if let Some(tls) = cause::<TlsError>(&source) {
        let fault = TlsFault::of(tls, is_asked, has_identity);
        // In TLS 1.3 the client sends the request before the service rejects our certificate; the service does not read it.
        let reached =
            if source.is_connect() || fault.is_clients() { Reached::No } else { Reached::Maybe };
        return never(error::no_secure_connection(fault, reached).with_source(source));
    }
    if source.is_connect() {
        return never(error::connecting(source));
    }
    let said = cause::<hyper::Error>(&source);
    if said.is_some_and(hyper::Error::is_canceled) || is_turned_away(&source) {
        return FailedAttempt {
            error: error::sending(source, Reached::No),
            repeat: Repeat::Always,
        };
    }
    let is_malformed = said.is_some_and(|said| said.is_parse() || said.is_user());
    if is_asked && !is_malformed {
        // The HTTP client does not always pass on why a service closed the connection. This one asked for a certificate.
        let fault = TlsFault::of_client(has_identity);
        let error = error::no_secure_connection(fault, Reached::Maybe);
        return never(error.with_source(source));
    }
    let repeat = if is_malformed { Repeat::Never } else { Repeat::Idempotent };
    let error = error::sending(source, Reached::Maybe);
    debug_assert_eq!(error.kind(), ErrorKind::Send);
    FailedAttempt { error, repeat }
}

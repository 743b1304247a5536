//! Sends a request, and once more where that is known to be harmless: nothing of it was sent, or the connection closed
//! before the head of an answer and the method may be repeated (RFC 9110 §9.2.2). What else fails is told and not repeated.

use callgate_tool::Reached;
use http::HeaderMap;
use rustls::Error as TlsError;

use crate::{
    error::{self, Error, ErrorKind, cause},
    network::Pool,
    tls::noting_what_is_asked,
    tls_fault::TlsFault,
};

/// The mark on an answer to a request that was sent twice, the first time on a connection that the service had closed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SentAgain;

/// Sends the request over a connection of the pool, and perhaps again over a new one. Says whether it did.
pub(crate) async fn send(
    pool: &Pool,
    request: reqwest::Request,
    has_identity: bool,
) -> Result<(reqwest::Response, Option<SentAgain>), Error> {
    let again = request.try_clone().map(Box::new);
    let sent = once(&pool.reusing(), request, has_identity);
    match sent.await {
        Ok(response) => Ok((response, None)),
        // Few requests come here, and the others carry no room for it.
        Err(failure) => Box::pin(send_again(pool, again, has_identity, failure)).await,
    }
}

/// Sends the request over a new connection where that is harmless after this failure.
async fn send_again(
    pool: &Pool,
    request: Option<Box<reqwest::Request>>,
    has_identity: bool,
    failure: Failure,
) -> Result<(reqwest::Response, Option<SentAgain>), Error> {
    let Some(request) = request.filter(|request| failure.repeat.allows(request)) else {
        return Err(failure.error);
    };
    // A second connection of the pool may have been closed at the same moment.
    match once(pool.fresh()?, *request, has_identity).await {
        Ok(response) => Ok((response, Some(SentAgain))),
        // The first may have reached the service, whatever became of the second.
        Err(second) if failure.error.reached() == Reached::No => Err(second.error),
        Err(_) => Err(failure.error),
    }
}

/// A request without an answer, and whether it may be sent again.
struct Failure {
    error: Error,
    repeat: Repeat,
}

#[derive(Clone, Copy)]
enum Repeat {
    /// Whatever the method.
    Always,
    /// Where the method may be repeated.
    Idempotent,
    Never,
}

impl Repeat {
    fn allows(self, request: &reqwest::Request) -> bool {
        match self {
            Self::Always => true,
            Self::Idempotent => {
                request.method().is_idempotent() && !overrides_method(request.headers())
            }
            Self::Never => false,
        }
    }
}

/// Whether a header asks for another method than the request line: what looks like a read may be a write.
pub fn overrides_method(headers: &HeaderMap) -> bool {
    ["x-http-method", "x-http-method-override", "x-method-override"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

/// Sends the request. The client takes it at once, so that the future does not hold it as well.
fn once(
    client: &reqwest::Client,
    request: reqwest::Request,
    has_identity: bool,
) -> impl Future<Output = Result<reqwest::Response, Failure>> + use<> {
    let sent = noting_what_is_asked(client.execute(request));
    async move {
        let (sent, is_asked) = sent.await;
        sent.map_err(|source| failure(source, is_asked, has_identity))
    }
}

fn failure(source: reqwest::Error, is_asked: bool, has_identity: bool) -> Failure {
    let never = |error| Failure { error, repeat: Repeat::Never };
    if let Some(tls) = cause::<TlsError>(&source) {
        let fault = TlsFault::of(tls, is_asked, has_identity);
        // In TLS 1.3 the request goes out before the service turns our certificate down, and is not read then.
        let reached =
            if source.is_connect() || fault.is_clients() { Reached::No } else { Reached::Maybe };
        return never(
            error::no_secure_connection(fault, reached).with_source(source.without_url()),
        );
    }
    if source.is_connect() {
        return never(error::connecting(source));
    }
    let said = cause::<hyper::Error>(&source);
    if said.is_some_and(hyper::Error::is_canceled) {
        return Failure { error: error::sending(source, Reached::No), repeat: Repeat::Always };
    }
    let is_malformed = said.is_some_and(|said| said.is_parse() || said.is_user());
    if is_asked && !is_malformed {
        // The HTTP client does not always hand on why a service closed: it asked for a certificate in this handshake.
        let fault = TlsFault::of_client(has_identity);
        let error = error::no_secure_connection(fault, Reached::Maybe);
        return never(error.with_source(source.without_url()));
    }
    let repeat = if is_malformed { Repeat::Never } else { Repeat::Idempotent };
    let error = error::sending(source, Reached::Maybe);
    debug_assert_eq!(error.kind(), ErrorKind::Send);
    Failure { error, repeat }
}

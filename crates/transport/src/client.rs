//! Sends requests over the network: no redirects, no proxies, no cookies, one deadline over all of an exchange, and never
//! more of an answer in memory than its bound, which holds for what a content coding expands to. Retries and addresses are decided elsewhere.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response,
    header::{CONTENT_ENCODING, CONTENT_LENGTH},
    uri::Scheme,
};
use reqwest::redirect::Policy;
use tokio::{sync::OnceCell, time::timeout};

use crate::{
    body::BoundedBody,
    error::{self, Error},
    guard,
    limits::Limits,
    resolve::SystemResolver,
    transport::Transport,
};

/// The transport over the network. Clones share their connections.
///
/// ```
/// # use callgate_transport::{Client, Error, Limits, Transport};
/// # async fn run() -> Result<(), Error> {
/// let client = Client::new()?;
/// let request = http::Request::get("https://api.example.com/v1/pets/7");
/// let request = request.body(bytes::Bytes::new()).expect("a well-formed request");
/// let response = client.send(request, &Limits::default()).await?;
/// assert_eq!(response.status(), 200);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    plain: reqwest::Client,
    // Made when first needed: reading the machine's certificates takes milliseconds and fails where there are none.
    secure: Arc<OnceCell<reqwest::Client>>,
}

impl Client {
    /// A client with its own connections. Make one and clone it.
    ///
    /// # Errors
    /// [`ErrorKind::Tls`](crate::ErrorKind::Tls) if the HTTP client cannot be set up.
    pub fn new() -> Result<Self, Error> {
        // Without certificates: this one speaks to `http` origins only, so that they work on a machine that has none.
        let plain = settings().tls_certs_only([]).build().map_err(error::no_client)?;
        Ok(Self { plain, secure: Arc::new(OnceCell::new()) })
    }

    async fn client_for(&self, scheme: Option<&Scheme>) -> Result<&reqwest::Client, Error> {
        if scheme != Some(&Scheme::HTTPS) {
            return Ok(&self.plain);
        }
        let make = async || settings().https_only(true).build().map_err(error::no_client);
        self.secure.get_or_try_init(make).await
    }
}

#[async_trait]
impl Transport for Client {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let client = self.client_for(request.uri().scheme()).await?;
        let request = outgoing(request)?;
        let exchange = exchange(client, request, limits.response_bytes);
        timeout(limits.timeout, exchange).await.unwrap_or_else(|_| Err(error::timed_out()))
    }
}

fn settings() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        // Redirects would carry credential headers and the query to another host (security finding 3).
        .redirect(Policy::none())
        .referer(false)
        // `HTTP_PROXY` would receive every credential (security finding 6).
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .http2_max_header_list_size(MAX_RESPONSE_HEADER_BYTES)
        .dns_resolver(SystemResolver)
}

fn outgoing(request: Request<Bytes>) -> Result<reqwest::Request, Error> {
    let (parts, body) = request.into_parts();
    guard::check_headers(&parts.headers)?;
    let url = guard::checked_url(&parts.uri)?;
    let mut outgoing = reqwest::Request::new(parts.method, url);
    *outgoing.headers_mut() = parts.headers;
    // RFC 9110 §8.6; the client leaves it out and some servers then answer 411.
    let expects_body = matches!(*outgoing.method(), Method::PATCH | Method::POST | Method::PUT);
    if body.is_empty() && expects_body {
        outgoing.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    *outgoing.body_mut() = Some(body.into());
    Ok(outgoing)
}

async fn exchange(
    client: &reqwest::Client,
    request: reqwest::Request,
    bound: usize,
) -> Result<Response<Bytes>, Error> {
    let mut incoming = client.execute(request).await.map_err(error::sending)?;
    // What the client decodes it takes from the headers; what is left it cannot read, two layers among it.
    let codings = incoming.headers().get_all(CONTENT_ENCODING);
    if codings.iter().any(|coding| coding != "identity") {
        return Err(error::unknown_coding());
    }
    let mut body = BoundedBody::new(bound, incoming.content_length())?;
    while let Some(chunk) = incoming.chunk().await.map_err(error::receiving)? {
        body.push(chunk)?;
    }
    let mut response = Response::new(body.finish());
    *response.status_mut() = incoming.status();
    *response.version_mut() = incoming.version();
    *response.headers_mut() = std::mem::take(incoming.headers_mut());
    Ok(response)
}

/// A service that takes longer to accept a connection is down; the rest of the time is for its answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Shorter than any service keeps idle connections, so that none is used at the moment it is closed (security finding
/// 11).
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Far above what services answer with, far below what fills memory. HTTP/1 has the client's own bound of 100 headers.
const MAX_RESPONSE_HEADER_BYTES: u32 = 64 * 1024;

#[cfg(test)]
mod tests;

//! Sends requests over the network: no redirects, no cookies, no proxy from the environment, one deadline for the whole
//! exchange, and a limit on the response in memory, which also holds for decoded content codings. `egress` checks
//! addresses; `attempt` sends again what `repeat` allows.

use std::{
    borrow::Cow,
    future::ready,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, OnceLock},
    time::SystemTime,
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::NamedBy;
use futures_util::{FutureExt, future::Either};
use http::{
    Extensions, HeaderValue, Method, Request, Response, Uri,
    header::{
        ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, DATE, HOST, RANGE,
        TRANSFER_ENCODING, USER_AGENT,
    },
    request::Parts,
};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::{sync::OnceCell, time::timeout};
use url::{Host, Url};

use crate::{
    attempt::{Attempt, AttemptResponse},
    coding::{self, Coding},
    connection_info::Note,
    egress::{AddressRange, Egress},
    error::{self, Error},
    guard::{self, Origin},
    limits::Limits,
    network::{ConnectSettings, Network, Pool, PoolKey},
    repeat::RequestKind,
    resolve::Resolver,
    response_body::ResponseBody,
    tls::TlsSettings,
    transport::Transport,
};

/// The settings of a client: its TLS, its proxy and where it may connect.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The party that named the origin of requests that do not say it themselves (by a [`NamedBy`] among their extensions).
    pub named_by: NamedBy,
    /// The addresses that may be dialled, whoever named them.
    pub allow: Vec<AddressRange>,
    /// The certificates, trust and versions for connections over TLS.
    pub tls: TlsSettings,
    /// Looks up the addresses of every name in place of the network's resolver, as a service directory does. Its addresses
    /// count as named by the operator; TLS still checks the host name of the URL.
    pub directory: Option<Arc<dyn Resolver>>,
}

/// The settings for services that the operator names, with the trust store of the machine.
impl Default for ClientSettings {
    fn default() -> Self {
        let (allow, tls) = (Vec::new(), TlsSettings::new());
        Self { named_by: NamedBy::Operator, allow, tls, directory: None }
    }
}

/// The transport over the network. Clones share connections.
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
    network: Network,
    settings: Arc<ClientSettings>,
    allow: Arc<[AddressRange]>,
    /// Keeps the client's connections in the network's pools.
    _learned: Arc<ConnectSettings>,
    /// The pools of the usual ways to connect, by trust and by scheme, so that each is looked up only once.
    pools: Arc<[OnceCell<Arc<Pool>>; 4]>,
    /// The first origin that was called; most toolsets have only one.
    origin: Arc<OnceLock<Origin>>,
}

impl Client {
    /// A client with its own connections, for origins that the operator named.
    ///
    /// # Errors
    /// None today; the first request reports a failed set-up.
    pub fn new() -> Result<Self, Error> {
        Ok(Self::over_network(&Network::new(), ClientSettings::default()))
    }

    /// A client over the connections of `network`, shared with clients that have equal settings. It connects only when it
    /// sends.
    #[doc(hidden)]
    pub fn over_network(network: &Network, settings: ClientSettings) -> Self {
        let allow: Arc<[AddressRange]> = settings.allow.clone().into();
        let network = network.clone();
        let (tls, directory) = (settings.tls.clone(), settings.directory.clone());
        let learned =
            network.register_client(ConnectSettings { allow: Arc::clone(&allow), tls, directory });
        Self {
            network,
            settings: Arc::new(settings),
            allow,
            _learned: learned,
            pools: Arc::default(),
            origin: Arc::default(),
        }
    }

    async fn egress_pool(&self, egress: Egress) -> Result<Arc<Pool>, Error> {
        let slot = self.pool_slot(&egress);
        let pool = async || {
            let tls = egress.is_https.then(|| self.settings.tls.clone());
            let directory = self.settings.directory.clone();
            self.network.pool_or_new(&PoolKey { tls, egress, directory }).await
        };
        match slot {
            Some(cell) => cell.get_or_try_init(pool).await.map(Arc::clone),
            None => pool().await,
        }
    }

    fn pool_slot(&self, egress: &Egress) -> Option<&OnceCell<Arc<Pool>>> {
        let at =
            usize::from(egress.is_https) * 2 + usize::from(egress.named_by == NamedBy::Operator);
        self.pools.get(at).filter(|_| egress.own.is_empty())
    }

    fn egress_for_url(&self, url: &Url, named_by: NamedBy) -> Result<Egress, Error> {
        let named_by = if self.settings.directory.is_some() { NamedBy::Operator } else { named_by };
        let own = self.network.listener_addresses(url.port_or_known_default().unwrap_or_default());
        let is_https = url.scheme() == "https";
        let egress = Egress { named_by, is_https, allow: Arc::clone(&self.allow), own };
        egress.check_insecure_scheme().map_err(|denial| error::egress_denial(denial, None))?;
        let Some(address) = literal_address(url) else { return Ok(egress) };
        // The HTTP client looks up no literal address, so this is its only check.
        egress
            .check_address(address)
            .map_err(|denial| error::egress_denial(denial, Some(address)))?;
        if self.settings.directory.is_some() {
            return Err(error::refused_error(
                "the server is named by an address, and a service directory knows names only",
            ));
        }
        Ok(egress)
    }

    fn named_by(&self, request: &Request<Bytes>) -> NamedBy {
        request.extensions().get().copied().unwrap_or(self.settings.named_by)
    }

    fn checked_outgoing_request(
        &self,
        request: Request<Bytes>,
    ) -> Result<(Cow<'_, Url>, Request<Full<Bytes>>), Error> {
        let (mut parts, body) = request.into_parts();
        guard::check_headers(&parts.headers)?;
        let origin = self.origin.get().filter(|origin| origin.needs_no_normalization(&parts.uri));
        let url = if let Some(origin) = origin {
            Cow::Borrowed(&origin.url)
        } else {
            let url = self.checked_url(&parts.uri)?;
            parts.uri = guard::uri_with_url_host(parts.uri, &url)?;
            Cow::Owned(url)
        };
        // The extensions are meant for this client only.
        parts.extensions = Extensions::new();
        add_missing_headers(&mut parts, &body);
        if let Some(host) = origin.and_then(Origin::http1_host_header) {
            // The HTTP client would otherwise write the header anew for each request.
            parts.headers.insert(HOST, host.clone());
        }
        Ok((url, Request::from_parts(parts, Full::new(body))))
    }

    fn checked_url(&self, uri: &Uri) -> Result<Url, Error> {
        let known_origin = self.origin.get();
        let url = guard::checked_url(uri, known_origin)?;
        if known_origin.is_none()
            && let Some(origin) = Origin::from_uri(uri)
        {
            self.origin.get_or_init(|| origin);
        }
        Ok(url)
    }

    /// The head of the response, and its body as it arrives. Everything that need not wait is done before the future
    /// exists, which then needs no room for the request: each call copies the future several times.
    fn begin_answer(
        &self,
        request: Request<Bytes>,
    ) -> Result<impl Future<Output = Result<Response<ResponseBody>, Error>> + Send, Error> {
        let (named_by, kind) = (self.named_by(&request), RequestKind::from_request(&request));
        let (url, request) = self.checked_outgoing_request(request)?;
        let egress = self.egress_for_url(&url, named_by)?;
        let has_identity = self.settings.tls.has_identity();
        if let Some(pool) = self.pool_slot(&egress).and_then(OnceCell::get) {
            let attempt = Attempt::new(Arc::clone(pool), request, kind, has_identity);
            return Ok(Either::Left(wait_for_checked_head(attempt)));
        }
        // The first request looks up its connections.
        Ok(Either::Right(Box::pin(async move {
            let pool = self.egress_pool(egress).await?;
            wait_for_checked_head(Attempt::new(pool, request, kind, has_identity)).await
        })))
    }
}

#[async_trait]
impl Transport for Client {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let answer = self.begin_answer(request)?;
        let exchange = async {
            let (head, body) = answer.await?.into_parts();
            let body = body.collect(limits.response_bytes).await?;
            Ok(Response::from_parts(head, body))
        };
        timeout(limits.timeout, exchange).await.unwrap_or_else(|_| Err(error::timed_out()))
    }

    fn check(&self, request: &Request<Bytes>) -> Result<(), Error> {
        let named_by = self.named_by(request);
        if named_by == NamedBy::Operator {
            // Nearly everything is allowed; the rest is refused when the request is sent.
            return Ok(());
        }
        self.egress_for_url(&self.checked_url(request.uri())?, named_by).map(drop)
    }

    async fn connect(&self, origin: &Uri, named_by: NamedBy) -> Result<(), Error> {
        let pool =
            self.egress_pool(self.egress_for_url(&self.checked_url(origin)?, named_by)?).await?;
        pool.try_connect(origin.clone()).await
    }

    fn open<'c, 'l, 'f>(
        &'c self,
        request: Request<Bytes>,
        limits: &'l Limits,
    ) -> Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, Error>> + Send + 'f>>
    where
        'c: 'f,
        'l: 'f,
        Self: 'f,
    {
        let limit = limits.timeout;
        match self.begin_answer(request) {
            Err(refused) => Box::pin(ready(Err(refused))),
            Ok(answer) => Box::pin(
                timeout(limit, answer)
                    .map(|in_time| in_time.unwrap_or_else(|_| Err(error::timed_out()))),
            ),
        }
    }
}

async fn wait_for_checked_head(attempt: Attempt) -> Result<Response<ResponseBody>, Error> {
    let AttemptResponse { response, again, pool } = attempt.response_or_one_repetition().await?;
    if has_conflicting_lengths(response.headers()) {
        drop(response);
        pool.close();
        return Err(error::two_lengths());
    }
    let mut response = decoded_response(response)?;
    if let Some(again) = again {
        response.extensions_mut().insert(again);
    }
    Ok(response)
}

const PRODUCT: &str = concat!("callgate/", env!("CARGO_PKG_VERSION"));

fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
    }
}

fn add_missing_headers(outgoing: &mut Parts, body: &Bytes) {
    // RFC 9110 §8.6; the HTTP client omits the header, and some servers then respond with 411.
    let expects_body = matches!(outgoing.method, Method::PATCH | Method::POST | Method::PUT);
    let headers = &mut outgoing.headers;
    // Some large services refuse requests without a user agent (RFC 9110 §10.1.5).
    headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(PRODUCT));
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    // Part of an encoded response cannot be decoded.
    if !headers.contains_key(RANGE) {
        headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static(coding::ACCEPTED));
    }
    if body.is_empty() && expects_body {
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
}

/// RFC 9112 §6.3: with both headers, readers disagree on the end of the response. The HTTP client itself refuses two
/// different lengths and closes the connection.
fn has_conflicting_lengths(headers: &http::HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) && headers.contains_key(CONTENT_LENGTH)
}

fn decoded_response(incoming: Response<Incoming>) -> Result<Response<ResponseBody>, Error> {
    let (mut head, body) = incoming.into_parts();
    let headers = &mut head.headers;
    let coding = Coding::from_headers(headers)?;
    if coding.is_some() {
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
    // RFC 9110 §6.6.1: a recipient with a clock may add the date, from which other dates count.
    if !headers.contains_key(DATE)
        && let Ok(now) = HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::now()))
    {
        headers.insert(DATE, now);
    }
    // Nobody needs the HTTP client's other notes on the connection.
    let connection = head.extensions.get::<Note>().map(Note::take_connection_info);
    head.extensions = Extensions::new();
    connection.and_then(|connection| head.extensions.insert(connection));
    let body = ResponseBody::from_incoming(&head, body, coding);
    Ok(Response::from_parts(head, body))
}

#[cfg(test)]
mod tests;

//! Makes connections: addresses from a checked resolver, TLS if the scheme asks for it, and one deadline for everything.
//! The HTTP client keeps the connections and speaks HTTP/2 if both sides can (RFC 9113 §3.3).

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls::ClientConfig;
use tokio::time::timeout;
use tower_service::Service;

use crate::{
    connection_info::{self, Stream},
    proxy::{Dialer, Proxy},
    resolve::{BoxError, CheckedResolver},
};

/// The HTTP client. It follows no redirects, ignores proxies of the environment and keeps no cookies: redirects would carry
/// credentials and the query to another host, and `HTTP_PROXY` would receive every credential (finding 2 and threat 53 of
/// `SECURITY.md`).
pub(crate) type HttpClient = legacy::Client<Connector, Full<Bytes>>;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// Makes the connections of one way to connect. A pointer: the HTTP client copies it several times for each request.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    https: Arc<HttpsConnector<Dialer>>,
}

impl Connector {
    pub(crate) fn new(
        tls: ClientConfig,
        scheme: Scheme,
        resolver: CheckedResolver,
        proxy: Option<Proxy>,
    ) -> Self {
        let mut dialer = Dialer::new(Self::tcp_connector(scheme, resolver.clone()));
        if let Some(proxy) = proxy {
            dialer = dialer.through_proxy(proxy, resolver);
        }
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls);
        let builder = match scheme {
            Scheme::Http => builder.https_or_http(),
            Scheme::Https => builder.https_only(),
        };
        Self { https: Arc::new(builder.enable_all_versions().wrap_connector(dialer)) }
    }

    /// A connector for a protocol other than HTTP: the TLS handshake offers no protocol (RFC 7301).
    pub(crate) fn for_non_http(
        tls: ClientConfig,
        scheme: Scheme,
        resolver: CheckedResolver,
    ) -> Self {
        let dialer = Dialer::new(Self::tcp_connector(scheme, resolver));
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        Self { https: Arc::new(builder.enable_http1().wrap_connector(dialer)) }
    }

    fn tcp_connector(scheme: Scheme, resolver: CheckedResolver) -> HttpConnector<CheckedResolver> {
        let is_https = scheme == Scheme::Https;
        let mut http = HttpConnector::new_with_resolver(resolver);
        http.enforce_http(!is_https);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        http.set_keepalive(Some(KEEPALIVE));
        http.set_keepalive_interval(Some(KEEPALIVE));
        http.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
        #[cfg(target_os = "linux")]
        http.set_tcp_user_timeout(Some(KEEPALIVE * (KEEPALIVE_RETRIES + 1)));
        http
    }

    pub(crate) fn http_client(self, most_idle: usize) -> HttpClient {
        legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .pool_max_idle_per_host(most_idle)
            .http2_keep_alive_interval(KEEPALIVE)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .http2_max_header_list_size(MAX_RESPONSE_HEADER_BYTES)
            .build(self)
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, origin: Uri) -> Self::Future {
        let mut https = HttpsConnector::clone(&self.https);
        let connection = connection_info::connect_with_step_times(async move {
            poll_fn(|context| https.poll_ready(context)).await?;
            https.call(origin).await
        });
        Box::pin(async move {
            timeout(CONNECT_TIMEOUT, connection).await.unwrap_or_else(|_| Err(TooSlow.into()))
        })
    }
}

#[derive(Debug)]
pub(crate) struct TooSlow;

callgate_secret::text!(error TooSlow: _ => "no connection in time");

/// The time limit of a connection, twice five seconds: slower name servers and services count as down. The remaining time
/// is for the response.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The idle time after which TCP probes the other side, and the time between probes.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;

/// The time in which a service must reply to a ping while a call waits for it (RFC 9113 §6.7). A dead service is noticed
/// within the usual time of a call, and no later call uses its connection.
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Shorter than the idle time of any service, so that no connection is used just when the service closes it (security
/// finding 11).
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Far above the headers of real services, far below what fills memory. For HTTP/1 the client's own limit of 100 headers
/// holds.
const MAX_RESPONSE_HEADER_BYTES: u32 = 64 * 1024;

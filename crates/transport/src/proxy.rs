//! A forward proxy that the operator names: connections use it by `CONNECT` (RFC 9110 §9.3.6), so that it sees their
//! targets but not their content. Connections to this machine do not use it. The environment cannot name a proxy.

use std::{
    pin::Pin,
    str::FromStr,
    task::{Context, Poll},
};

use callgate_tool::NamedBy;
use http::Uri;
use hyper_util::{
    client::legacy::connect::{HttpConnector, dns::Name, proxy::Tunnel},
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tower_service::Service;
use url::{Host, Url};

use crate::{
    address::is_this_machine,
    connection_info::note_connected,
    resolve::{BoxError, CheckedResolver},
};

/// The address of a forward proxy: `http://proxy.example:3128`.
///
/// ```
/// # use callgate_transport::Proxy;
/// assert!("http://proxy.example:3128".parse::<Proxy>().is_ok());
/// assert!("socks5://proxy.example".parse::<Proxy>().is_err());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Proxy(Uri);

/// The error for a text that is not a proxy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NotAProxy;

impl FromStr for Proxy {
    type Err = NotAProxy;

    fn from_str(text: &str) -> Result<Self, NotAProxy> {
        let url = Url::parse(text).map_err(|_| NotAProxy)?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let has_no_user = url.username().is_empty() && url.password().is_none();
        if url.scheme() != "http" || !is_bare || !has_no_user {
            return Err(NotAProxy);
        }
        url.as_str().parse().map(Self).map_err(|_| NotAProxy)
    }
}

callgate_secret::text!(error NotAProxy: _ => "expected a forward proxy: `http://`, a host, and perhaps a port");

#[derive(Clone, Debug)]
pub(crate) struct Dialer {
    direct: HttpConnector<CheckedResolver>,
    /// The proxy, and the resolver that checks the addresses of a description's names.
    proxied: Option<(Tunnel<HttpConnector>, CheckedResolver)>,
}

impl Dialer {
    pub(crate) fn new(direct: HttpConnector<CheckedResolver>) -> Self {
        Self { direct, proxied: None }
    }

    pub(crate) fn through_proxy(self, Proxy(proxy): Proxy, guarded: CheckedResolver) -> Self {
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        Self { proxied: Some((Tunnel::new(proxy, http), guarded)), ..self }
    }
}

type Connecting = Pin<Box<dyn Future<Output = Result<TokioIo<TcpStream>, BoxError>> + Send>>;

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Connecting;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.direct.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, origin: Uri) -> Connecting {
        let proxied = self.proxied.clone().filter(|_| !is_on_this_machine(&origin));
        let Some((mut tunnel, guarded)) = proxied else {
            let connection = self.direct.call(origin);
            return Box::pin(async move { record_if_connected(connection.await) });
        };
        Box::pin(async move {
            let target = proxy_connect_target(&origin, guarded).await?;
            record_if_connected(tunnel.call(target).await)
        })
    }
}

/// Records that a connection was made, and unifies its error.
fn record_if_connected<E: Into<BoxError>>(
    connection: Result<TokioIo<TcpStream>, E>,
) -> Result<TokioIo<TcpStream>, BoxError> {
    let connection = connection.map_err(Into::into)?;
    note_connected();
    Ok(connection)
}

/// The target of a `CONNECT` to the proxy. The proxy looks up names that the operator gave; names of a description are
/// looked up and checked here, and the proxy gets the address.
async fn proxy_connect_target(origin: &Uri, mut guarded: CheckedResolver) -> Result<Uri, BoxError> {
    let is_https = origin.scheme_str() == Some("https");
    let port = origin.port_u16().unwrap_or(if is_https { 443 } else { 80 });
    let host = origin.host().unwrap_or_default();
    let is_name = matches!(Host::parse(host), Ok(Host::Domain(_)));
    let authority = if guarded.egress.named_by == NamedBy::Description && is_name {
        let name: Name = host.parse()?;
        let address = guarded.call(name).await?.next().map(|mut address| {
            address.set_port(port);
            address.to_string()
        });
        address.unwrap_or_default()
    } else {
        format!("{host}:{port}")
    };
    Ok(Uri::builder().scheme("http").authority(authority).path_and_query("/").build()?)
}

/// True if a service is on this machine: a proxy would look for it on its own machine.
fn is_on_this_machine(origin: &Uri) -> bool {
    let host = Host::parse(origin.host().unwrap_or_default());
    host.is_ok_and(|host| is_this_machine(&host))
}

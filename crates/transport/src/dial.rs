//! Connections for protocols other than HTTP, to a server that the operator named: checked addresses, and TLS with our own
//! settings, from its start or once the protocol asks for it. A forward proxy is not used, since it forwards HTTP. The caller
//! speaks the protocol and sets the deadline.

use std::sync::Arc;

use callgate_tool::NamedBy;
use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tower_service::Service as _;
use url::Host;

use crate::{
    connector::{Connector, Scheme},
    egress::Egress,
    error::{self, Error},
    network::{Network, connect_error},
    tls::{self, TlsSettings},
};

impl Network {
    /// Opens a connection to a server that the operator named, with TLS if there are settings for it.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`](crate::ErrorKind::Connect) and the other kinds of a connection that is not made.
    #[doc(hidden)]
    pub async fn dial(
        &self,
        host: &str,
        port: u16,
        tls: Option<&TlsSettings>,
    ) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>, Error> {
        let egress = Egress {
            named_by: NamedBy::Operator,
            is_https: tls.is_some(),
            allow: [].into(),
            own: self.listener_addresses(port),
        };
        // The resolver does not see an address that stands in place of a name.
        let address = match Host::parse(host) {
            Ok(Host::Ipv4(address)) => Some(address.into()),
            Ok(Host::Ipv6(address)) => Some(address.into()),
            Ok(Host::Domain(_)) | Err(_) => None,
        };
        if let Some(address) = address {
            egress
                .check_address(address)
                .map_err(|denial| error::egress_denial(denial, Some(address)))?;
        }
        let (config, scheme, word) = match tls {
            None => (tls::config_trusting_nobody()?, Scheme::Http, "http"),
            Some(settings) => (
                settings.client_config(self.system_verifier_if_needed(settings).await?)?,
                Scheme::Https,
                "https",
            ),
        };
        let origin = format!("{word}://{host}:{port}/").parse::<Uri>();
        let origin = origin.map_err(error::connecting_error)?;
        let mut connector = Connector::for_non_http(config, scheme, self.checked_resolver(egress));
        connector.call(origin).await.map(TokioIo::new).map_err(connect_error)
    }

    /// Secures a connection that was opened without TLS, and returns with it the server's end point for a channel binding
    /// (RFC 5929 §4), unless its certificate has none.
    ///
    /// # Errors
    /// [`ErrorKind::Tls`](crate::ErrorKind::Tls) and the other kinds of a connection that is not made.
    #[doc(hidden)]
    pub async fn secure_with_channel_binding<S>(
        &self,
        stream: S,
        host: &str,
        settings: &TlsSettings,
    ) -> Result<(impl AsyncRead + AsyncWrite + Send + Unpin + use<S>, Option<Vec<u8>>), Error>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin,
    {
        let config = settings.client_config(self.system_verifier_if_needed(settings).await?)?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let name = ServerName::try_from(bare.to_owned()).map_err(error::connecting_error)?;
        let secured = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
        let secured = secured.map_err(|source| connect_error(source.into()))?;
        let certificate = secured.get_ref().1.peer_certificates().and_then(<[_]>::first);
        let end_point = certificate.and_then(tls::channel_binding_digest);
        Ok((secured, end_point))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::{
        Denial, ErrorKind, Listeners, SystemResolver,
        test_tls::{Authority, TLS_1_2, TLS_1_3, When, serve_tls},
    };

    #[tokio::test]
    async fn a_connection_shows_our_certificate_and_trusts_only_the_given_authority() {
        let authority = Authority::new("own");
        let (server, client) =
            (authority.issue("localhost", When::Now), authority.issue("gate", When::Now));
        for versions in [TLS_1_2, TLS_1_3] {
            let port = serve_tls(authority.server_requiring_client(&server, versions)).await;
            let tls = TlsSettings::new().trust_only_ca(authority.ca_certificates());
            let tls = tls.with_identity(client.identity());
            let mut stream = Network::new().dial("localhost", port, Some(&tls)).await.unwrap();
            stream.write_all(b"\r\n\r\n").await.unwrap();
            read_until(&mut stream, b"0 CN=gate").await;
            let other = TlsSettings::new().trust_only_ca(Authority::new("other").ca_certificates());
            let refused = Network::new().dial("localhost", port, Some(&other)).await;
            assert_eq!(refused.err().unwrap().kind(), ErrorKind::Tls);
        }
    }

    async fn read_until(stream: &mut (impl AsyncRead + Unpin), end: &[u8]) {
        let mut reply = Vec::new();
        while !reply.ends_with(end) {
            reply.push(stream.read_u8().await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_metadata_service_and_an_own_listener_are_not_dialled() {
        let listeners = Listeners::default();
        listeners.add("127.0.0.1:6379".parse().unwrap());
        let network = Network::with_resolver(Arc::new(SystemResolver::default()), listeners);
        for (host, denial) in [
            ("169.254.169.254", Denial::LinkLocal),
            ("[fe80::1]", Denial::LinkLocal),
            ("127.0.0.1", Denial::OwnListener),
            ("localhost", Denial::OwnListener),
        ] {
            let refused = network.dial(host, 6379, None).await.err().unwrap();
            assert_eq!(refused.denial(), Some(denial), "{host}");
        }
    }
}

//! The token endpoint: a configured URL, or the URL in an authorization server's metadata. The metadata are read from
//! time to time; tokens are requested elsewhere.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_secret::single_flight::{Lasting, Life, Pace, SingleFlight};
use callgate_tool::NamedBy;
use callgate_transport::{ErrorKind, Limits, Transport};
use http::{Request, StatusCode, header::ACCEPT};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{
    failure::{EndpointFailure, MAX_ANSWER_BYTES, Retry, UNTRUSTED},
    settings::{DescribedMetadata, TokenEndpoint},
};

#[derive(Debug)]
pub(super) struct Endpoint {
    named: TokenEndpoint,
    endpoints: SingleFlight<Arc<Endpoints>, EndpointFailure>,
}

#[derive(Debug, Default)]
pub(super) struct Endpoints {
    pub(super) token: String,
    pub(super) issuer: Option<String>,
    pub(super) authorization: Option<String>,
    pub(super) device_authorization: Option<String>,
    pub(super) revocation: Option<String>,
    /// RFC 9207 §3: true if the server names itself when it sends a browser back.
    pub(super) names_itself: bool,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    issuer: String,
    token_endpoint: String,
    #[serde(default)]
    authorization_endpoint: Value,
    #[serde(default)]
    device_authorization_endpoint: Value,
    #[serde(default)]
    revocation_endpoint: Value,
    #[serde(default)]
    authorization_response_iss_parameter_supported: Value,
}

impl Endpoint {
    pub(super) fn new(named: TokenEndpoint) -> Self {
        Self { named, endpoints: SingleFlight::new(PACE) }
    }

    /// The audience of a client's own JWT: the issuer, if it is known (RFC 7523 §3).
    pub(super) fn configured_issuer(&self) -> Option<&str> {
        if let TokenEndpoint::Issuer(issuer) = &self.named { Some(issuer) } else { None }
    }

    /// The party that named the endpoint: an endpoint named by a description must be public https.
    pub(super) fn named_by(&self) -> NamedBy {
        match &self.named {
            TokenEndpoint::DescribedMetadata(described) => described.named_by,
            TokenEndpoint::Issuer(_) | TokenEndpoint::Url(_) => NamedBy::Operator,
            TokenEndpoint::Described | TokenEndpoint::DescribedUrl(_) => NamedBy::Description,
        }
    }

    /// Scheme, host and port of the server that is contacted first.
    pub(super) fn server_origin(&self) -> Option<String> {
        let url = match &self.named {
            TokenEndpoint::Described => return None,
            TokenEndpoint::DescribedMetadata(described) => &described.url,
            TokenEndpoint::DescribedUrl(url)
            | TokenEndpoint::Issuer(url)
            | TokenEndpoint::Url(url) => url,
        };
        Some(Url::parse(url).ok()?.origin().ascii_serialization())
    }

    /// The URL; if it is not configured, it is read from the server's metadata, for at most `time`.
    pub(super) async fn resolve_url(
        &self,
        transport: &dyn Transport,
        time: Duration,
    ) -> Result<Arc<str>, EndpointFailure> {
        if let TokenEndpoint::DescribedUrl(url) | TokenEndpoint::Url(url) = &self.named {
            return Ok(url.as_str().into());
        }
        Ok(self.fetch_endpoints(transport, time).await?.token.as_str().into())
    }

    /// All endpoints; if the token endpoint is not configured, they are read from the server's metadata, for at most
    /// `time`.
    pub(super) async fn fetch_endpoints(
        &self,
        transport: &dyn Transport,
        time: Duration,
    ) -> Result<Arc<Endpoints>, EndpointFailure> {
        let read = async |_| {
            let endpoints = self.read_endpoints_of_metadata(transport, time).await?;
            Ok((Arc::new(endpoints), Life::from_duration(KEPT)))
        };
        self.endpoints.get(&(), read).await
    }

    async fn read_endpoints_of_metadata(
        &self,
        transport: &dyn Transport,
        time: Duration,
    ) -> Result<Endpoints, EndpointFailure> {
        let reading = MetadataReader { transport, time, named_by: self.named_by() };
        match &self.named {
            TokenEndpoint::Described => {
                Err(EndpointFailure::unreadable("no token endpoint is named"))
            }
            TokenEndpoint::DescribedMetadata(described) => {
                reading.fetch_described_endpoints(described).await
            }
            TokenEndpoint::DescribedUrl(url) | TokenEndpoint::Url(url) => {
                Ok(Endpoints { token: url.clone(), ..Endpoints::default() })
            }
            TokenEndpoint::Issuer(issuer) => reading.fetch_issuer_endpoints(issuer).await,
        }
    }

    /// Forgets the metadata, because the server may have moved.
    pub(super) fn forget_metadata(&self) {
        self.endpoints.forget_if(|_| true);
    }
}

#[derive(Debug)]
struct MetadataReader<'a> {
    transport: &'a dyn Transport,
    time: Duration,
    named_by: NamedBy,
}

impl MetadataReader<'_> {
    async fn fetch_issuer_endpoints(&self, issuer: &str) -> Result<Endpoints, EndpointFailure> {
        for url in metadata_urls(issuer) {
            let Some(metadata) = self.fetch_metadata(&url).await? else { continue };
            // RFC 8414 §3.3: the issuers must be equal, else the document belongs to another server.
            if metadata.issuer != issuer {
                return Err(EndpointFailure::unreadable(ANOTHER_ISSUER));
            }
            return metadata.into_checked_endpoints();
        }
        Err(EndpointFailure::unreadable("the issuer does not say where its token endpoint is"))
    }

    async fn fetch_described_endpoints(
        &self,
        described: &DescribedMetadata,
    ) -> Result<Endpoints, EndpointFailure> {
        let no_url = EndpointFailure::unreadable("the description names metadata that are no URL");
        let url: Url = described.url.parse().map_err(|_| no_url)?;
        let fetched_metadata = self.fetch_metadata(&url).await?;
        let metadata = fetched_metadata
            .ok_or_else(|| EndpointFailure::unreadable("there are no metadata of the issuer"))?;
        if !metadata_urls(&metadata.issuer).contains(&url) {
            return Err(EndpointFailure::unreadable(ANOTHER_ISSUER));
        }
        let is_allowed = |endpoint: &String| {
            let origin = endpoint.parse().map(|url: Url| url.origin().ascii_serialization());
            origin.is_ok_and(|origin| described.origins.contains(&origin))
        };
        if !is_allowed(&metadata.token_endpoint) {
            return Err(EndpointFailure::unreadable(FOREIGN_ENDPOINT));
        }
        Ok(metadata.usable_endpoints(is_allowed))
    }

    async fn fetch_metadata(&self, url: &Url) -> Result<Option<Metadata>, EndpointFailure> {
        let request = Request::get(url.as_str()).header(ACCEPT, "application/json");
        let request = request.extension(self.named_by).body(Bytes::new());
        let request = request.map_err(|_| EndpointFailure::unreadable("the issuer is no URL"))?;
        let limits = Limits { timeout: self.time, response_bytes: MAX_ANSWER_BYTES };
        let unavailable =
            |retry| EndpointFailure::unavailable("the issuer's metadata cannot be read", retry);
        let answer = self.transport.send(request, &limits).await.map_err(|error| {
            match (error.kind(), self.named_by) {
                (ErrorKind::Refused, NamedBy::Description) => {
                    EndpointFailure::unreadable(UNTRUSTED)
                }
                _ if error.is_transient() => unavailable(Retry::Soon),
                _ => unavailable(Retry::Later),
            }
        })?;
        let status = answer.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(unavailable(Retry::Later));
        }
        if status != StatusCode::OK {
            return Ok(None);
        }
        let metadata = serde_json::from_slice(answer.body());
        let unreadable =
            EndpointFailure::unreadable("the issuer's metadata name no token endpoint");
        metadata.map(Some).map_err(|_| unreadable)
    }
}

impl Metadata {
    fn into_checked_endpoints(self) -> Result<Endpoints, EndpointFailure> {
        let issuer = self.issuer.parse::<Url>().ok();
        let is_safe = |endpoint: &String| {
            let url = endpoint.parse::<Url>().ok();
            let pair = url.as_ref().zip(issuer.as_ref());
            pair.is_some_and(|(url, issuer)| {
                url.scheme() == "https" || url.origin() == issuer.origin()
            })
        };
        if !is_safe(&self.token_endpoint) {
            return Err(EndpointFailure::unreadable("the issuer's token endpoint is not https"));
        }
        Ok(self.usable_endpoints(is_safe))
    }

    /// The endpoints that may be used; an endpoint that may not be used counts as missing.
    fn usable_endpoints(self, may_be_used: impl Fn(&String) -> bool) -> Endpoints {
        let usable = |endpoint: &Value| {
            endpoint.as_str().map(ToOwned::to_owned).filter(|endpoint| may_be_used(endpoint))
        };
        Endpoints {
            authorization: usable(&self.authorization_endpoint),
            device_authorization: usable(&self.device_authorization_endpoint),
            revocation: usable(&self.revocation_endpoint),
            names_itself: self.authorization_response_iss_parameter_supported == true,
            token: self.token_endpoint,
            issuer: Some(self.issuer),
        }
    }
}

/// The URLs of an issuer's metadata: `OpenID` Connect Discovery 1.0 §4 appends the path, RFC 8414 §3 inserts it.
fn metadata_urls(issuer: &str) -> Vec<Url> {
    let Ok(base) = issuer.parse::<Url>() else { return Vec::new() };
    let path = base.path().trim_end_matches('/');
    let paths = [
        format!("{path}/.well-known/openid-configuration"),
        format!("/.well-known/oauth-authorization-server{path}"),
    ];
    let at = |path: &String| {
        let mut url = base.clone();
        url.set_path(path);
        url
    };
    paths.iter().map(at).collect()
}

const FOREIGN_ENDPOINT: &str = "the metadata name a token endpoint at an origin that credentials may not go to; \
    the operator lists it under `credential_origins:` or names the endpoint with `token_url:`";
const ANOTHER_ISSUER: &str = "the metadata are those of another issuer";

/// No pause after a failure: the code that requests tokens pauses after a server failed.
const PACE: Pace =
    Pace { pause: Duration::ZERO, stale: Duration::ZERO, lasting: Lasting::Withdraws };

/// Servers rarely move; a server that moves keeps the old endpoint for a while.
const KEPT: Duration = Duration::from_hours(1);

//! Finds the private endpoints of a service (`servicedirectory.v1` `projects.locations.namespaces.services.resolve`).
//! The transport connects to them.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use callgate_secret::single_flight::{Lasting, Life, Pace, SingleFlight};
use callgate_transport::Resolver;
use serde_json::Value;

use crate::{
    Tokens,
    endpoints::Endpoints,
    error::{Error, ErrorKind},
    rest::{Rest, ServiceRequest},
};

/// The name of a service: `projects/P/locations/L/namespaces/N/services/S`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServiceName(String);

impl FromStr for ServiceName {
    type Err = Error;

    /// Reads a name.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] if the text is not a service name.
    fn from_str(text: &str) -> Result<Self, Error> {
        let parts: Vec<&str> = text.split('/').collect();
        let is_name =
            matches!(*parts, ["projects", _, "locations", _, "namespaces", _, "services", _]);
        if is_name && parts.iter().all(|part| is_resource_segment(part)) {
            return Ok(Self(text.to_owned()));
        }
        let form = "`projects/…/locations/…/namespaces/…/services/…`";
        Err(Error::new(
            ErrorKind::Configuration,
            format!("a service of Service Directory is named by {form}"),
        ))
    }
}

callgate_secret::text!(ServiceName: Self(text) => "{text}");

/// A client of Service Directory.
#[derive(Debug)]
pub struct ServiceDirectory {
    tokens: Arc<Tokens>,
    rest: Rest,
    endpoints: Endpoints,
}

impl ServiceDirectory {
    /// A directory client that authenticates with the access tokens of `tokens`.
    pub fn new(tokens: Arc<Tokens>, rest: Rest, endpoints: Endpoints) -> Self {
        Self { tokens, rest, endpoints }
    }

    /// The endpoints of a service that have an address and a port, in the order of the response.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if the service does not exist or has no endpoint; otherwise every kind.
    pub async fn resolve(&self, service: &ServiceName) -> Result<Vec<SocketAddr>, Error> {
        let token = self.tokens.access_token().await?;
        let url = self.endpoints.service_directory_url(&format!("/v1/{service}:resolve"));
        let body = Some(("application/json", "{\"maxEndpoints\":100}".to_owned()));
        let question =
            ServiceRequest { service: SERVICE, url: &url, token: Some(&token.value), body };
        let endpoint_addresses = endpoint_addresses(&self.rest.send_request(question).await?);
        if endpoint_addresses.is_empty() {
            let message =
                format!("the service has no endpoint with an address and a port: `{service}`");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        Ok(endpoint_addresses)
    }
}

/// The endpoints of one service, refreshed from time to time. Every connection goes to them, whatever host name is
/// looked up.
#[derive(Debug)]
pub struct ServiceEndpoints {
    directory: ServiceDirectory,
    service: ServiceName,
    addresses: SingleFlight<Vec<SocketAddr>, Error>,
}

impl ServiceEndpoints {
    /// The endpoints of `service`.
    pub fn new(directory: ServiceDirectory, service: ServiceName) -> Self {
        Self { directory, service, addresses: SingleFlight::new(PACE) }
    }
}

#[async_trait]
impl Resolver for ServiceEndpoints {
    async fn addresses(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        let resolved =
            async |_| Ok((self.directory.resolve(&self.service).await?, Life::from_duration(KEPT)));
        self.addresses.get(&(), resolved).await.map_err(io::Error::other)
    }
}

const KEPT: Duration = Duration::from_secs(30);

/// An outage of the directory does not stop a service: a response may be used for five minutes.
const PACE: Pace =
    Pace { pause: PAUSE, stale: Duration::from_secs(270), lasting: Lasting::Withdraws };

const PAUSE: Duration = Duration::from_secs(2);

fn endpoint_addresses(answer: &Value) -> Vec<SocketAddr> {
    let endpoints = answer.pointer("/service/endpoints").and_then(Value::as_array);
    endpoints.into_iter().flatten().filter_map(endpoint_address).collect()
}

fn endpoint_address(endpoint: &Value) -> Option<SocketAddr> {
    let address: IpAddr = endpoint.get("address")?.as_str()?.parse().ok()?;
    let port = endpoint.get("port")?.as_u64().and_then(|port| u16::try_from(port).ok())?;
    (port > 0).then_some(SocketAddr::new(address, port))
}

fn is_resource_segment(word: &str) -> bool {
    let is_legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    word.bytes().all(is_legal) && word.bytes().any(|byte| byte != b'.')
}

const SERVICE: &str = "Service Directory";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_incomplete_service_name_is_refused() {
        let name = "projects/example.com:p/locations/l/namespaces/n/services/s-1";
        assert_eq!(name.parse::<ServiceName>().unwrap().to_string(), name);
        let texts = "services/s projects/p/locations/l/namespaces/n/services/
            projects/p/locations/../namespaces/n/services/s
            projects/p/locations/l/namespaces/n/services/s?x
            projects/p/locations/l/namespaces/n/services/s/t";
        for text in texts.split_whitespace().chain([""]) {
            assert_eq!(text.parse::<ServiceName>().unwrap_err().kind(), ErrorKind::Configuration);
        }
    }

    #[test]
    fn endpoints_without_address_or_port_are_ignored() {
        let answer = json!({"service": {"endpoints": [
            {"address": "10.0.0.5", "port": 443},
            {"address": "", "port": 443},
            {"address": "10.0.0.6"},
            {"address": "10.0.0.6", "port": 0},
            {"address": "10.0.0.6", "port": 65536},
            {"address": "host.internal", "port": 443},
            {"address": "fd00::1", "port": 8443},
        ]}});
        let expected = ["10.0.0.5:443", "[fd00::1]:8443"].map(|text| text.parse().unwrap());
        assert_eq!(endpoint_addresses(&answer), expected);
        assert!(endpoint_addresses(&json!({"service": {}})).is_empty());
    }
}

//! Builds requests to a vault and distinguishes its failures by their statuses. Knows neither engines nor logins.

use std::sync::Arc;

use callgate_secret::{Error, ErrorKind, Secret};
use callgate_transport::Transport;
use http::{HeaderValue, Method, Request, StatusCode};
use zeroize::Zeroizing;

use crate::exchange::{self, StoreResponse};

#[derive(Debug)]
pub(super) struct Server {
    address: String,
    namespace: Option<String>,
    transport: Arc<dyn Transport>,
}

impl Server {
    pub(super) fn new(
        address: &str,
        namespace: Option<String>,
        transport: Arc<dyn Transport>,
    ) -> Self {
        Self { address: address.trim_end_matches('/').to_owned(), namespace, transport }
    }

    /// Requests a path below `/v1/`. Responses that mean a failure for every path become errors.
    pub(super) async fn send_request(
        &self,
        method: Method,
        path: &str,
        token: Option<&Secret>,
        body: Option<Zeroizing<Vec<u8>>>,
    ) -> Result<StoreResponse, Error> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}/v1/{path}", self.address))
            // Agents and proxies that guard against forged requests refuse a request without it.
            .header("x-vault-request", "true");
        if let Some(namespace) = &self.namespace {
            request = request.header("x-vault-namespace", namespace);
        }
        if let Some(token) = token {
            let mut value =
                HeaderValue::try_from(token.expose_for_header()?).map_err(unusable_token_error)?;
            value.set_sensitive(true);
            request = request.header("x-vault-token", value);
        }
        let body = body.map(exchange::body_zeroized_on_drop);
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let request = request.body(body.unwrap_or_default());
        let request = request.map_err(|source| exchange::malformed_request_error(VAULT, source))?;
        let answer = exchange::send_request(VAULT, &self.transport, request).await?;
        common_status_error(answer.status).map_or(Ok(answer), Err)
    }
}

/// The error for a status that has one meaning for every path:
/// <https://developer.hashicorp.com/vault/api-docs#http-status-codes>.
fn common_status_error(status: StatusCode) -> Option<Error> {
    let (kind, message) = match status.as_u16() {
        300..=399 => (
            ErrorKind::Unreadable,
            "the vault is a standby and points to another address, which is not followed; name the active one"
                .to_owned(),
        ),
        429 => (ErrorKind::Unreadable, "the vault has too many requests".to_owned()),
        503 => (ErrorKind::Unreadable, "the vault is sealed or in maintenance".to_owned()),
        412 | 472 | 473 | 500..=599 => {
            (ErrorKind::Unreadable, format!("the vault answers {}", status.as_u16()))
        }
        _ => return None,
    };
    Some(Error::new(kind, message))
}

fn unusable_token_error(_: http::header::InvalidHeaderValue) -> Error {
    Error::new(ErrorKind::Invalid, "the vault's token cannot be put in a header")
}

const VAULT: &str = "the vault";

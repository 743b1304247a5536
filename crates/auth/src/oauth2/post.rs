//! One request of a client to an endpoint of an authorization server other than the token endpoint: a form, with the
//! client's authentication as at the token endpoint (RFC 7009 §2.1, RFC 8628 §3.1).

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use callgate_transport::{CredentialPlaces, Limits};
use http::{
    HeaderValue, Request, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use oauth2::AuthType;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{
    failure::{EndpointFailure, MAX_ANSWER_BYTES},
    request::unsent,
    response,
    server::{Client, Server, TokenRequestError},
};

/// Sends the form, and returns the body of a response with status 200.
pub(super) async fn post(
    server: &Server,
    client: &Client,
    url: &str,
    form: &[(&str, &str)],
    time: Duration,
) -> Result<Bytes, TokenRequestError> {
    let request = request(server, client, url, form)?;
    let limits = Limits { timeout: time, response_bytes: MAX_ANSWER_BYTES };
    let answer = server.context.transport.send(request, &limits).await;
    let answer = answer.map_err(|error| unsent(&error, server.endpoint.named_by()))?;
    // Some servers refuse with status 200.
    let is_good = answer.status() == StatusCode::OK && response::code(answer.body()).is_none();
    if is_good {
        return Ok(answer.into_body());
    }
    Err(TokenRequestError::Failed(response::failure(&answer)))
}

fn request(
    server: &Server,
    client: &Client,
    url: &str,
    form: &[(&str, &str)],
) -> Result<Request<Bytes>, TokenRequestError> {
    let proof = server.proof(client, url)?;
    let id = client.id.expose();
    let mut text = Serializer::new(String::new());
    text.extend_pairs(form).extend_pairs(proof.parameters());
    let mut header = None;
    match proof.secret() {
        Some((secret, AuthType::BasicAuth)) => {
            // RFC 6749 §2.3.1: both are form-encoded before they are joined.
            let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", encoded(id), encoded(secret.expose()));
            header = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok();
        }
        Some((secret, _)) => {
            text.append_pair("client_id", id).append_pair("client_secret", secret.expose());
        }
        None => {
            text.append_pair("client_id", id);
        }
    }
    let request = Request::post(url)
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .extension(server.endpoint.named_by())
        .body(Bytes::from(text.finish()));
    let mut request = request.map_err(|_| EndpointFailure::unreadable("an endpoint is no URL"))?;
    if let Some(mut header) = header {
        header.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, header);
        CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
    }
    Ok(request)
}

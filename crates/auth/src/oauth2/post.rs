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
use serde::Deserialize;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{
    codes::standard_code,
    failure::{Failure, MAX_ANSWER_BYTES},
    request::{of_status, unsent},
    server::{Asking, Client, Server},
};

/// A refusal as the standard defines it (RFC 6749 §5.2).
#[derive(Deserialize)]
struct Refused {
    error: String,
}

/// Sends the form, and returns the body of a response with status 200.
pub(super) async fn post(
    server: &Server,
    client: &Client,
    url: &str,
    form: &[(&str, &str)],
    time: Duration,
) -> Result<Bytes, Asking> {
    let request = request(server, client, url, form)?;
    let limits = Limits { timeout: time, response_bytes: MAX_ANSWER_BYTES };
    let answer = server.context.transport.send(request, &limits).await;
    let answer = answer.map_err(|error| unsent(&error, server.endpoint.named_by()))?;
    let (status, body) = (answer.status(), answer.into_body());
    if status == StatusCode::OK {
        return Ok(body);
    }
    Err(Asking::Failed(match serde_json::from_slice::<Refused>(&body) {
        Ok(refused) if status.is_client_error() => Failure::Refused(standard_code(&refused.error)),
        _ => of_status(status),
    }))
}

/// The request with the client's authentication.
fn request(
    server: &Server,
    client: &Client,
    url: &str,
    form: &[(&str, &str)],
) -> Result<Request<Bytes>, Asking> {
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
    let mut request = request.map_err(|_| Failure::unreadable("an endpoint is no URL"))?;
    if let Some(mut header) = header {
        header.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, header);
        CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
    }
    Ok(request)
}

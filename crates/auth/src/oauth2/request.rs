//! The requests of a client to an authorization server (RFC 6749 §3.2, RFC 7009 §2.1, RFC 8628 §3.1): a form with the client's
//! authentication, over our own transport.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use callgate_secret::{Masker, Secret};
use callgate_tool::NamedBy;
use callgate_transport::{CredentialPlaces, ErrorKind, Limits};
use http::{
    HeaderValue, Request, Response, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use url::{
    Url,
    form_urlencoded::{Serializer, byte_serialize},
};

use super::{
    failure::{EndpointFailure, MAX_ANSWER_BYTES, Retry, UNTRUSTED},
    response,
    server::{Client, Proof, Server, TokenRequestError},
    token_response::TokenResponse,
};

#[derive(Debug)]
pub(super) struct TokenRequest<'a> {
    pub(super) grant_type: &'static str,
    pub(super) scopes: &'a [String],
    pub(super) parameters: Vec<(&'a str, &'a str)>,
}

impl Server {
    pub(super) async fn request_token(
        &self,
        client: &Client,
        asked: TokenRequest<'_>,
        time: Duration,
    ) -> Result<TokenResponse, TokenRequestError> {
        let resolve_url = self.endpoint.resolve_url(&*self.context.transport, time).await?;
        let scope = asked.scopes.join(" ");
        let mut form = vec![("grant_type", asked.grant_type)];
        form.extend((!scope.is_empty()).then_some(("scope", &*scope)));
        form.extend(asked.parameters);
        let request = self.request(client, &resolve_url, &form)?;
        let token = response::token_response(&self.send(request, time).await?);
        Ok(token.map_err(|failure| failure.without_secrets(&request_masker(client, &form)))?)
    }

    /// Sends a form to another endpoint, and returns the body of a response with status 200.
    pub(super) async fn post(
        &self,
        client: &Client,
        url: &str,
        form: &[(&str, &str)],
        time: Duration,
    ) -> Result<Bytes, TokenRequestError> {
        let answer = self.send(self.request(client, url, form)?, time).await?;
        // Some servers refuse with status 200.
        if answer.status() == StatusCode::OK && response::refusal_code(answer.body()).is_none() {
            return Ok(answer.into_body());
        }
        Err(response::endpoint_failure(&answer)
            .without_secrets(&request_masker(client, form))
            .into())
    }

    fn request(
        &self,
        client: &Client,
        url: &str,
        form: &[(&str, &str)],
    ) -> Result<Request<Bytes>, TokenRequestError> {
        let proof = self.client_proof(client, url)?;
        let id = client.id.expose();
        let mut text = Serializer::new(String::new());
        text.extend_pairs(form);
        if !matches!(proof, Proof::Basic(_)) && !id.is_empty() {
            text.append_pair("client_id", id);
        }
        match &proof {
            Proof::Body(secret) => text.append_pair("client_secret", secret.expose()),
            Proof::Jwt(jwt) => text
                .append_pair("client_assertion_type", ASSERTION_TYPE)
                .append_pair("client_assertion", jwt.expose()),
            Proof::Basic(_) | Proof::None => &mut text,
        };
        let no_url = || EndpointFailure::unreadable("the token endpoint is no URL");
        let url = url.parse::<Url>().map_err(|_| no_url())?;
        let request = Request::post(url.as_str())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .extension(self.endpoint.named_by())
            .body(Bytes::from(text.finish()));
        let mut request = request.map_err(|_| no_url())?;
        if let Proof::Basic(secret) = proof {
            // RFC 6749 §2.3.1: both are form-encoded before they are joined.
            let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let pair = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret.expose())));
            let header = HeaderValue::from_str(&format!("Basic {pair}"));
            let mut header = header.map_err(|_| no_url())?;
            header.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, header);
            CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
        }
        Ok(request)
    }

    async fn send(
        &self,
        request: Request<Bytes>,
        time: Duration,
    ) -> Result<Response<Bytes>, EndpointFailure> {
        let limits = Limits { timeout: time, response_bytes: MAX_ANSWER_BYTES };
        let answer = self.context.transport.send(request, &limits).await;
        answer.map_err(|error| sending_failure(&error, self.endpoint.named_by()))
    }
}

/// Finds what was secret in a request: a server may repeat it in its reasons.
fn request_masker(client: &Client, form: &[(&str, &str)]) -> Masker<'static> {
    let secrets = form.iter().filter(|(name, _)| !PLAIN.contains(name));
    let secrets = secrets.map(|(_, value)| Secret::new((*value).to_owned()));
    Masker::new(client.secret().into_iter().cloned().chain(secrets).collect::<Vec<_>>())
}

fn sending_failure(error: &callgate_transport::Error, named_by: NamedBy) -> EndpointFailure {
    let later = |why| EndpointFailure::Unavailable { why, retry: Retry::Later };
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Receive | ErrorKind::Send => EndpointFailure::Unavailable {
            why: "the token endpoint cannot be reached",
            retry: Retry::Soon,
        },
        ErrorKind::TimedOut => later("the token endpoint took too long"),
        ErrorKind::TooLarge => {
            EndpointFailure::unreadable("the answer of the token endpoint is too large")
        }
        ErrorKind::Tls => {
            EndpointFailure::unreadable("there is no secure connection to the token endpoint")
        }
        ErrorKind::NothingRecorded => EndpointFailure::unreadable("no token is recorded"),
        ErrorKind::Refused if named_by == NamedBy::Description => {
            EndpointFailure::unreadable(UNTRUSTED)
        }
        ErrorKind::Refused => EndpointFailure::unreadable("the token request may not be sent"),
        _ => later("the token endpoint cannot be reached"),
    }
}

/// The members of a form that are no secrets.
const PLAIN: [&str; 8] = [
    "actor_token_type",
    "audience",
    "grant_type",
    "redirect_uri",
    "requested_token_type",
    "resource",
    "scope",
    "subject_token_type",
];
/// RFC 7523 §2.2.
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

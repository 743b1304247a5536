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
        let FormRequest { request, masker } = self.form_request(client, &resolve_url, &form)?;
        let token = response::token_response(&self.send(request, time).await?);
        Ok(token.map_err(|failure| failure.without_secrets(&masker))?)
    }

    /// Sends a form to another endpoint, and returns the body of a response with status 200.
    pub(super) async fn post_form(
        &self,
        client: &Client,
        url: &str,
        form: &[(&str, &str)],
        time: Duration,
    ) -> Result<Bytes, TokenRequestError> {
        let FormRequest { request, masker } = self.form_request(client, url, form)?;
        let answer = self.send(request, time).await?;
        // Some servers refuse with status 200.
        if answer.status() == StatusCode::OK && response::refusal_code(answer.body()).is_none() {
            return Ok(answer.into_body());
        }
        Err(response::endpoint_failure(&answer).without_secrets(&masker).into())
    }

    fn form_request(
        &self,
        client: &Client,
        url: &str,
        form: &[(&str, &str)],
    ) -> Result<FormRequest, TokenRequestError> {
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
        if let Proof::Basic(secret) = &proof {
            let pair =
                STANDARD.encode(format!("{}:{}", form_encoded(id), form_encoded(secret.expose())));
            let header = HeaderValue::from_str(&format!("Basic {pair}"));
            let mut header = header.map_err(|_| no_url())?;
            header.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, header);
            CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
        }
        Ok(FormRequest { request, masker: request_masker(client, &proof, form) })
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

/// A request with a form, and the masker of all that was secret in it: a server may repeat it in its reasons.
struct FormRequest {
    request: Request<Bytes>,
    masker: Masker<'static>,
}

fn request_masker(client: &Client, proof: &Proof<'_>, form: &[(&str, &str)]) -> Masker<'static> {
    let secrets = form.iter().filter(|(name, _)| !PLAIN.contains(name));
    let secrets = secrets.map(|(_, value)| Secret::new((*value).to_owned()));
    // The server reads the proof in the form in which it was sent.
    let sent = match proof {
        Proof::Basic(secret) => Some(Secret::new(form_encoded(secret.expose()))),
        Proof::Jwt(jwt) => Some(jwt.clone()),
        Proof::Body(_) | Proof::None => None,
    };
    let secrets = client.secret().into_iter().cloned().chain(sent).chain(secrets);
    Masker::new(secrets.collect::<Vec<_>>())
}

/// The text as it stands in a form: RFC 6749 §2.3.1 joins the name and the secret of a client in this encoding.
fn form_encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn sending_failure(error: &callgate_transport::Error, named_by: NamedBy) -> EndpointFailure {
    let later = |why| EndpointFailure::unavailable(why, Retry::Later);
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Receive | ErrorKind::Send => {
            EndpointFailure::unavailable("the token endpoint cannot be reached", Retry::Soon)
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Threat 1 of `SECURITY.md`: a server may repeat each part of a request in its reasons.
    #[test]
    fn a_proof_is_masked_as_it_is_sent() {
        let secret = Secret::new("kD8/x2+Lq0vJ7w==".to_owned());
        let jwt = Proof::Jwt(Secret::new("canary.jwt.signature".to_owned()));
        let client = Client { id: Secret::new("me".to_owned()), secret: Some(secret.clone()) };
        let masked = |proof: &Proof<'_>, text: &str| {
            request_masker(&client, proof, &[("scope", "all")]).mask_text(text).into_owned()
        };
        let pair = STANDARD.encode(format!("me:{}", form_encoded(secret.expose())));
        let shown = masked(&Proof::Basic(&secret), &format!("refused: Basic {pair}"));
        let decoded = STANDARD.decode(shown.trim_start_matches("refused: Basic "));
        assert!(shown.contains("****") && decoded.is_err(), "{shown}");
        assert!(!shown.contains(pair.get(8..20).unwrap()), "{shown}");
        assert_eq!(masked(&jwt, "not canary.jwt.signature"), "not ****");
        assert_eq!(masked(&Proof::None, "scope=all"), "scope=all");
    }
}

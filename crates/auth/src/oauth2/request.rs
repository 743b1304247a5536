//! One token request and its result (RFC 6749 §3.2, §5). The `oauth2` crate builds the form and the client's
//! authentication; our own transport sends the request. Of the server's text only the token and the standards' error
//! codes leave this module.

use std::{error, fmt, pin::Pin, time::Duration};

use bytes::Bytes;
use callgate_secret::Secret;
use callgate_tool::NamedBy;
use callgate_transport::{CredentialPlaces, ErrorKind, Limits, Transport};
use http::{Request, header::AUTHORIZATION};
use oauth2::{
    AsyncHttpClient, AuthType, Client, ClientId, ClientSecret, EmptyExtraTokenFields, HttpRequest,
    HttpResponse, RequestTokenError, Scope, StandardRevocableToken,
    StandardTokenIntrospectionResponse, TokenUrl,
    basic::{BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenType},
};
use url::form_urlencoded;

use super::{
    failure::{EndpointFailure, MAX_ANSWER_BYTES, Retry, UNTRUSTED},
    response::{self, NO_TOKEN},
    wire_token::WireToken,
};

#[derive(Debug)]
pub(super) struct OutgoingRequest<'a> {
    pub(super) url: &'a str,
    pub(super) named_by: NamedBy,
    /// Empty if no client is configured.
    pub(super) client_id: &'a str,
    pub(super) secret: Option<(&'a Secret, AuthType)>,
    pub(super) grant_type: &'static str,
    pub(super) scopes: &'a [String],
    pub(super) parameters: Vec<(&'a str, &'a str)>,
}

#[derive(Debug)]
pub(super) struct TokenResponse {
    pub(super) token: Secret,
    /// The token's lifetime in seconds.
    pub(super) expires_in: Option<f64>,
    pub(super) refresh_token: Option<Secret>,
    /// The token's scopes, if the response names them.
    pub(super) scopes: Option<Vec<String>>,
}

type TokenClient = Client<
    BasicErrorResponse,
    WireToken,
    StandardTokenIntrospectionResponse<EmptyExtraTokenFields, BasicTokenType>,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
>;

pub(super) async fn send(
    transport: &dyn Transport,
    asked: OutgoingRequest<'_>,
    time: Duration,
) -> Result<TokenResponse, EndpointFailure> {
    let OutgoingRequest { url, named_by, client_id, secret, grant_type, scopes, parameters } =
        asked;
    let url = TokenUrl::new(url.to_owned());
    let url = url.map_err(|_| EndpointFailure::unreadable("the token endpoint is no URL"))?;
    let mut client = TokenClient::new(ClientId::new(client_id.to_owned())).set_token_uri(url);
    client = client.set_auth_type(AuthType::RequestBody);
    if let Some((secret, place)) = secret {
        let secret = ClientSecret::new(secret.expose().to_owned());
        client = client.set_client_secret(secret).set_auth_type(place);
    }
    let scopes = scopes.iter().map(|scope| Scope::new(scope.clone()));
    let mut request = client.exchange_client_credentials().add_scopes(scopes);
    for (name, value) in parameters {
        request = request.add_extra_param(name, value);
    }
    let limits = Limits { timeout: time, response_bytes: MAX_ANSWER_BYTES };
    let http_client = HttpClient { transport, grant_type, named_by, limits };
    let answer = request.request_async(&http_client).await.map_err(failure)?;
    token(answer)
}

/// Sends the requests of the `oauth2` crate over our transport, once.
#[derive(Debug)]
struct HttpClient<'t> {
    transport: &'t dyn Transport,
    grant_type: &'static str,
    named_by: NamedBy,
    limits: Limits,
}

impl<'c> AsyncHttpClient<'c> for HttpClient<'_> {
    type Error = SendError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, SendError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.answer(request))
    }
}

impl HttpClient<'_> {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, SendError> {
        let (parts, form) = request.into_parts();
        let form = Bytes::from(of_grant(&form, self.grant_type));
        let mut request = Request::from_parts(parts, form);
        if let Some(credential) = request.headers_mut().get_mut(AUTHORIZATION) {
            credential.set_sensitive(true);
            CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
        }
        request.extensions_mut().insert(self.named_by);
        let answer = self.transport.send(request, &self.limits).await;
        let answer = answer.map_err(|error| SendError::NotSent(error, self.named_by));
        let token = response::token(&answer?).map_err(SendError::Failed)?;
        Ok(HttpResponse::new(token))
    }
}

/// The form for another grant. The `oauth2` crate knows only the grants of RFC 6749; extension grants differ in the
/// name of the grant and in parameters (RFC 6749 §4.5). Without a configured client the form has no `client_id`.
fn of_grant(form: &[u8], grant_type: &str) -> String {
    let pairs = form_urlencoded::parse(form);
    let pairs = pairs.filter(|(name, value)| name != "client_id" || !value.is_empty());
    let pairs = pairs.map(|(name, value)| match &*name {
        "grant_type" => (name, grant_type.into()),
        _ => (name, value),
    });
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn token(answer: WireToken) -> Result<TokenResponse, EndpointFailure> {
    let (expires_in, scopes) = (answer.seconds(), answer.said_scopes());
    if let Some(scheme) = answer.other_scheme() {
        let why = format!("the token is of the type `{scheme}`, not one for `Bearer`");
        return Err(EndpointFailure::Unreadable(why.into()));
    }
    let (token, refresh_token) = answer.into_tokens();
    let refresh_token = refresh_token.filter(|token| !token.is_empty()).map(Secret::new);
    let token = Secret::new(token);
    if token.is_empty() || token.expose_as_token().is_err() {
        return Err(EndpointFailure::unreadable(
            "the token is empty, or cannot be put in a header",
        ));
    }
    Ok(TokenResponse { token, expires_in, refresh_token, scopes })
}

fn failure(error: RequestTokenError<SendError, BasicErrorResponse>) -> EndpointFailure {
    match error {
        RequestTokenError::Request(SendError::Failed(failure)) => failure,
        RequestTokenError::Request(SendError::NotSent(error, named_by)) => unsent(&error, named_by),
        RequestTokenError::ServerResponse(_)
        | RequestTokenError::Parse(..)
        | RequestTokenError::Other(_) => EndpointFailure::unreadable(NO_TOKEN),
    }
}

/// The reason why a request did not reach an endpoint that this party named.
pub(super) fn unsent(error: &callgate_transport::Error, named_by: NamedBy) -> EndpointFailure {
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

#[derive(Debug)]
enum SendError {
    /// A response without a token, which is hidden from the `oauth2` crate.
    Failed(EndpointFailure),
    NotSent(callgate_transport::Error, NamedBy),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(_) => f.write_str(NO_TOKEN),
            Self::NotSent(error, _) => error.fmt(f),
        }
    }
}

impl error::Error for SendError {}

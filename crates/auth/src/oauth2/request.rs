//! One token request and its result (RFC 6749 §3.2, §5). The `oauth2` crate builds the form and the client's
//! authentication; our own transport sends the request. Of the server's text only the token and the standards' error
//! codes leave this module.

use std::{error, fmt, pin::Pin, time::Duration};

use bytes::Bytes;
use callgate_secret::Secret;
use callgate_tool::NamedBy;
use callgate_transport::{CredentialPlaces, ErrorKind, Limits, Transport};
use http::{Request, StatusCode, header::AUTHORIZATION};
use oauth2::{
    AsyncHttpClient, AuthType, Client, ClientId, ClientSecret, EmptyExtraTokenFields, HttpRequest,
    HttpResponse, RequestTokenError, Scope, StandardRevocableToken,
    StandardTokenIntrospectionResponse, TokenResponse, TokenUrl,
    basic::{BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenType},
};
use serde::Deserialize;
use url::form_urlencoded;

use super::{
    answer::Answer,
    codes::standard_code,
    failure::{Failure, MAX_ANSWER_BYTES, Retry, UNTRUSTED},
};

/// The request for a token, and the client that sends it.
#[derive(Debug)]
pub(super) struct TokenRequest<'a> {
    pub(super) url: &'a str,
    /// The party that named the URL.
    pub(super) named_by: NamedBy,
    /// Empty if no client is configured.
    pub(super) client_id: &'a str,
    pub(super) secret: Option<(&'a Secret, AuthType)>,
    pub(super) grant_type: &'static str,
    pub(super) scopes: &'a [String],
    pub(super) parameters: Vec<(&'a str, &'a str)>,
}

/// A token, with the issuer's data about it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) token: Secret,
    /// The token's lifetime in seconds.
    pub(super) expires_in: Option<f64>,
    /// The refresh token.
    pub(super) refresh_token: Option<Secret>,
    /// The token's scopes, if the response names them.
    pub(super) scopes: Option<Vec<String>>,
}

type TokenClient = Client<
    BasicErrorResponse,
    Answer,
    StandardTokenIntrospectionResponse<EmptyExtraTokenFields, BasicTokenType>,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
>;

/// Sends one request, for at most `time`.
pub(super) async fn send(
    transport: &dyn Transport,
    asked: TokenRequest<'_>,
    time: Duration,
) -> Result<Answered, Failure> {
    let TokenRequest { url, named_by, client_id, secret, grant_type, scopes, parameters } = asked;
    let url = TokenUrl::new(url.to_owned());
    let url = url.map_err(|_| Failure::unreadable("the token endpoint is no URL"))?;
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
    let door = Door { transport, grant_type, named_by, limits };
    let answer = request.request_async(&door).await.map_err(failure)?;
    token(answer)
}

/// Sends the requests of the `oauth2` crate over our transport, once.
#[derive(Debug)]
struct Door<'t> {
    transport: &'t dyn Transport,
    grant_type: &'static str,
    named_by: NamedBy,
    limits: Limits,
}

impl<'c> AsyncHttpClient<'c> for Door<'_> {
    type Error = NotAnswered;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, NotAnswered>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.answer(request))
    }
}

impl Door<'_> {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, NotAnswered> {
        let (parts, form) = request.into_parts();
        let form = Bytes::from(of_grant(&form, self.grant_type));
        let mut request = Request::from_parts(parts, form);
        if let Some(credential) = request.headers_mut().get_mut(AUTHORIZATION) {
            credential.set_sensitive(true);
            CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
        }
        request.extensions_mut().insert(self.named_by);
        let answer = self.transport.send(request, &self.limits).await;
        let answer = answer.map_err(|error| NotAnswered::NotSent(error, self.named_by));
        let (parts, body) = answer?.into_parts();
        let is_readable = match parts.status {
            // The `oauth2` crate would take a list for the members of an object.
            StatusCode::OK => body.trim_ascii_start().starts_with(b"{") || body.is_empty(),
            status => names_an_error(status, &body),
        };
        if !is_readable {
            return Err(NotAnswered::Status(parts.status));
        }
        Ok(HttpResponse::from_parts(parts, body.to_vec()))
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

/// Returns true if a refusal has the standard form (RFC 6749 §5.2), which the `oauth2` crate reads.
fn names_an_error(status: StatusCode, body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "error")]
        _error: String,
    }
    status.is_client_error()
        && status != StatusCode::TOO_MANY_REQUESTS
        && serde_json::from_slice::<Named>(body).is_ok()
}

fn token(answer: Answer) -> Result<Answered, Failure> {
    let (expires_in, scopes) = (answer.seconds(), answer.said_scopes());
    // RFC 8693 §2.2.1: `N_A` marks an issued token that is not an access token; it is used as one here.
    if !["bearer", "n_a"].contains(&answer.token_type().as_ref()) {
        return Err(Failure::unreadable("the token is not one for `Bearer`"));
    }
    let (token, refresh_token) = answer.into_tokens();
    let refresh_token = refresh_token.filter(|token| !token.is_empty()).map(Secret::new);
    let token = Secret::new(token);
    if token.is_empty() || token.expose_as_token().is_err() {
        return Err(Failure::unreadable("the token is empty, or cannot be put in a header"));
    }
    Ok(Answered { token, expires_in, refresh_token, scopes })
}

fn failure(error: RequestTokenError<NotAnswered, BasicErrorResponse>) -> Failure {
    match error {
        RequestTokenError::ServerResponse(response) => {
            Failure::Refused(standard_code(response.error().as_ref()))
        }
        RequestTokenError::Request(NotAnswered::Status(status)) => of_status(status),
        RequestTokenError::Request(NotAnswered::NotSent(error, named_by)) => {
            unsent(&error, named_by)
        }
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            Failure::unreadable("the answer of the token endpoint is no token")
        }
    }
}

/// The reason why a request did not reach an endpoint that this party named.
pub(super) fn unsent(error: &callgate_transport::Error, named_by: NamedBy) -> Failure {
    let later = |why| Failure::Unavailable { why, retry: Retry::Later };
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Receive | ErrorKind::Send => {
            Failure::Unavailable { why: "the token endpoint cannot be reached", retry: Retry::Soon }
        }
        ErrorKind::TimedOut => later("the token endpoint took too long"),
        ErrorKind::TooLarge => Failure::unreadable("the answer of the token endpoint is too large"),
        ErrorKind::Tls => {
            Failure::unreadable("there is no secure connection to the token endpoint")
        }
        ErrorKind::NothingRecorded => Failure::unreadable("no token is recorded"),
        ErrorKind::Refused if named_by == NamedBy::Description => Failure::unreadable(UNTRUSTED),
        ErrorKind::Refused => Failure::unreadable("the token request may not be sent"),
        _ => later("the token endpoint cannot be reached"),
    }
}

/// The failure for a status without a standard error code.
pub(super) fn of_status(status: StatusCode) -> Failure {
    let retry = match status {
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => {
            Retry::Soon
        }
        _ => Retry::Later,
    };
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return Failure::Unavailable { why: "the token endpoint is out of order", retry };
    }
    if status.is_redirection() {
        return Failure::unreadable("the token endpoint redirects, which is not followed");
    }
    if status.is_success() {
        return Failure::unreadable("the answer of the token endpoint is no token");
    }
    let status = status.as_u16();
    Failure::Unreadable(format!("the token endpoint answered {status}, which is no token").into())
}

#[derive(Debug)]
enum NotAnswered {
    NotSent(callgate_transport::Error, NamedBy),
    /// A response that is hidden from the `oauth2` crate.
    Status(StatusCode),
}

impl fmt::Display for NotAnswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent(error, _) => error.fmt(f),
            Self::Status(status) => status.fmt(f),
        }
    }
}

impl error::Error for NotAnswered {}

//! The reason why a request got no credential. Names references and session parameters, never a value. Says who can
//! help: the operator, whose secret is missing, or the session, which lacks a value.

use std::{error, fmt};

use callgate_secret::SecretReference;
use callgate_tool::CallerToken;

callgate_secret::error! {
    /// A failure to put a credential on a request.
    ///
    /// ```
    /// use callgate_auth::{Error, ErrorKind};
    ///
    /// let source = std::io::Error::other("connection reset by peer");
    /// let error = Error::new(ErrorKind::TokenUnavailable, "the signing service is away").with_source(source);
    /// assert_eq!(error.to_string(), "the signing service is away");
    /// assert_eq!(error.session_parameter(), None, "the operator is to help");
    /// ```
    pub struct Error {
        parameter: Option<String>,
        is_transient: bool,
    }

    /// An error of your own authenticator. A model and the operator read its message: it must say what to do, and
    /// contain neither a secret nor a host.
    ///
    /// ```
    /// use callgate_auth::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::TokenUnavailable, "the signing service is restarting");
    /// assert!(error.transient().is_transient());
    /// ```
    pub fn new;

    /// Adds the cause, which the operator reads; its text must contain no secret.
    pub fn with_source;
}

/// The server that the tokens come from, and its reason: the operator needs to know them, a model does not.
#[derive(Debug)]
struct AskedAt {
    server: String,
    said: Option<String>,
}

impl fmt::Display for AskedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "asked at `{}`", self.server)?;
        self.said.iter().try_for_each(|said| write!(f, ", which says: {said}"))
    }
}

impl error::Error for AskedAt {}

/// The class of an [`Error`].
///
/// ```
/// use callgate_auth::{ApiKeyLocation, CredentialPlace, ErrorKind};
///
/// let refused = CredentialPlace::new(ApiKeyLocation::Header, "Content-Length").unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Configuration);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operator's settings name a place that cannot hold a credential.
    Configuration,
    /// The operator's secret does not exist or cannot be read.
    MissingSecret,
    /// The operator's settings contain no credential that may be sent with the operation.
    MissingCredential,
    /// The session lacks the value, or the value is not a text.
    MissingSessionValue,
    /// The session lacks the value of a header that is no credential, or has one that no header can hold.
    NoHeaderValue,
    /// The token endpoint refuses the operator's credential or the requested token.
    TokenRefused,
    /// The token endpoint cannot be reached, or its response contains no token.
    TokenUnavailable,
    /// The operator's secret cannot be put on a request.
    UnusableSecret,
    /// The session's value cannot be put on a request.
    UnusableSessionValue,
}

impl Error {
    /// The missing or unusable value of the session: the name of a parameter, or one of `$context.…` and `$session.…`;
    /// `None` if the operator must help.
    pub fn session_parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// Returns true if a retry may succeed later without a change by the operator or the session.
    pub fn is_transient(&self) -> bool {
        self.is_transient
    }

    /// Marks the error as transient: a retry of the request may succeed.
    #[must_use]
    pub fn transient(self) -> Self {
        Self { is_transient: true, ..self }
    }

    /// Makes the server that a token was requested from the cause, with its reason, if there is no other cause.
    pub(crate) fn with_asked_server(self, server: Option<String>, said: Option<String>) -> Self {
        match server {
            Some(server) if self.source.is_none() => self.with_source(AskedAt { server, said }),
            _ => self,
        }
    }

    /// Makes the error of a secret store the cause; this error is transient if that one is.
    fn with_store_cause(self, source: callgate_secret::Error) -> Self {
        let is_transient = source.is_transient();
        Self { is_transient, ..self }.with_source(source)
    }

    fn for_session_parameter(kind: ErrorKind, parameter: &str, message: String) -> Self {
        Self { parameter: Some(parameter.to_owned()), ..Self::new(kind, message) }
    }
}

callgate_secret::errors! {
    fn not_a_header_name() = Configuration:
        "the name of a header must be a token of RFC 9110 such as `X-Api-Key`";
    fn framing_header(name: &str) = Configuration:
        "a credential cannot be in a header that only the HTTP client may set: `{name}`";
    fn no_parameter_name() = Configuration: "the API key's query parameter must have a name";
    fn not_a_cookie_name() = Configuration:
        "the API key's cookie must have a name that is a token of RFC 9110 such as `session`";
    fn no_place_in_cookie() = UnusableSecret:
        "the credential holds a character that a cookie cannot have (RFC 6265 §4.1.1)";
    fn no_place_in_url() = UnusableSecret: "the credential does not fit in the request's URL";
    fn no_place_in_header() = UnusableSecret: "the credential cannot be put in a header";
    fn no_header_value(name: &str, source: &str) = NoHeaderValue:
        "the session must give the header `{name}` as a text, a number or a boolean in `{source}`";
    fn unfit_header_value(name: &str, source: &str) = NoHeaderValue:
        "the session gives the header `{name}` a value that no header can hold, in `{source}`";
    fn empty_secret(reference: &SecretReference) = UnusableSecret:
        "the secret of the credential must not be empty: `{reference}`";
    fn colon_in_user_name(reference: &SecretReference) = UnusableSecret:
        "a user name must not hold a colon: `{reference}`";
    fn token_unreadable(credential: &str, why: &str) = TokenUnavailable:
        "there is no token for the credential `{credential}`: {why}";
    fn unusable_key(reference: &SecretReference, expected: &str) = UnusableSecret:
        "the private key of the credential must be {expected}: `{reference}`";
    fn no_random_number() = TokenUnavailable: "the machine gives no random numbers";
    /// Only the operator may decide which endpoint receives a caller's token.
    fn callers_endpoint(credential: &str) = Configuration:
        "the operator must say where the credential `{credential}` exchanges the caller's token: name \
         `token_url` or `issuer`";
    fn no_token_endpoint(credential: &str) = Configuration:
        "nothing says where tokens for the credential `{credential}` are asked for: name `token_url` or `issuer`";
    fn no_person(credential: &str) = Configuration:
        "nobody logs in for the credential `{credential}`";
    fn no_grant_store(credential: &str) = Configuration:
        "nothing says where the logins of the credential `{credential}` are kept: a program says it with \
         `Environment::with_grants`";
    fn no_login_page(credential: &str) = Configuration:
        "nothing says where a person logs in for the credential `{credential}`: name `authorization_url` or \
         `issuer`";
    fn no_device_login(credential: &str) = Configuration:
        "nothing says where a login on another device begins for the credential `{credential}`: name \
         `device_authorization_url`";
    /// `code` is one of the standards' own.
    fn login_denied(credential: &str, code: &str) = TokenRefused:
        "the authorization server refuses the login of the credential `{credential}`: {code}";
    fn failed_login(credential: &str, why: &str) = TokenRefused:
        "the login of the credential `{credential}` is not made: {why}";
    /// `code` is one of the standards' own: nothing else from the endpoint's response is shown.
    fn token_refused(credential: &str, code: &str, other: Option<&str>) = TokenRefused:
        "the token endpoint refuses the credential `{credential}`: {code}{way}",
        way = other.map_or_else(String::new, |way| format!("; try `client_authentication: {way}`"));
    /// `command` is the command that a person types; a program logs in by other means.
    fn no_login(credential: &str, command: Option<&str>) = MissingCredential:
        "nobody has logged in for the credential `{credential}`: {command}", command = login_instruction(command);
    fn login_refused(credential: &str, code: &str, command: Option<&str>) = TokenRefused:
        "the authorization server no longer takes the login of the credential `{credential}` ({code}): {command}",
        command = login_instruction(command);
    fn login_over(credential: &str, command: Option<&str>) = MissingCredential:
        "the login of the credential `{credential}` has ended: {command}", command = login_instruction(command);
    fn login_unreadable(credential: &str, command: Option<&str>) = MissingCredential:
        "the login that is kept of the credential `{credential}` cannot be understood: {command}", command = login_instruction(command);
}

pub(crate) fn missing_credential_error(why: String) -> Error {
    Error::new(ErrorKind::MissingCredential, why)
}

pub(crate) fn secret_fetch_error(
    reference: &SecretReference,
    source: callgate_secret::Error,
) -> Error {
    let (kind, what) = match source.kind() {
        callgate_secret::ErrorKind::Denied => (ErrorKind::MissingSecret, "may not be read"),
        callgate_secret::ErrorKind::Invalid => (ErrorKind::UnusableSecret, "cannot be used"),
        callgate_secret::ErrorKind::Unreadable => (ErrorKind::MissingSecret, "cannot be read now"),
        callgate_secret::ErrorKind::Unsupported => {
            (ErrorKind::MissingSecret, "is in a store that is not configured")
        }
        _ => (ErrorKind::MissingSecret, "is missing"),
    };
    let message = format!("the secret of the credential {what}: `{reference}`");
    Error::new(kind, message).with_store_cause(source)
}

pub(crate) fn signing_error(source: callgate_secret::Error) -> Error {
    let kind = match source.kind() {
        callgate_secret::ErrorKind::Invalid => ErrorKind::UnusableSecret,
        _ => ErrorKind::MissingSecret,
    };
    Error::new(kind, "the request cannot be signed").with_store_cause(source)
}

/// `place` is the name of a parameter, or one of `$context.…` and `$session.…`.
pub(crate) fn missing_session_value(place: &str) -> Error {
    let message =
        format!("the session must give the credential as text in {}", session_place_text(place));
    Error::for_session_parameter(ErrorKind::MissingSessionValue, place, message)
}

fn session_place_text(place: &str) -> String {
    if place.starts_with('$') { format!("`{place}`") } else { format!("its parameter: `{place}`") }
}

pub(crate) fn unusable_session_value(place: &str, why: &callgate_secret::Error) -> Error {
    let message = format!(
        "the session's credential is unusable: {why}; it is in {}",
        session_place_text(place)
    );
    Error::for_session_parameter(ErrorKind::UnusableSessionValue, place, message)
}

/// `place` is the place of a session's value, or of the caller's token.
pub(crate) fn session_token_refused(credential: &str, place: &str, code: &str) -> Error {
    if place == CallerToken::PLACE {
        let message = format!(
            "the token endpoint of the credential `{credential}` refuses the caller's token: {code}"
        );
        return Error::for_session_parameter(ErrorKind::UnusableSessionValue, place, message);
    }
    let message = format!(
        "the token endpoint of the credential `{credential}` refuses the session's token in \
         `{place}`: {code}"
    );
    Error::for_session_parameter(ErrorKind::UnusableSessionValue, place, message)
}

pub(crate) fn token_unavailable(credential: &str, why: &str) -> Error {
    let message = format!("there is no token for the credential `{credential}`: {why}");
    Error::new(ErrorKind::TokenUnavailable, message).transient()
}

pub(crate) fn token_endpoint_slow() -> Error {
    Error::new(ErrorKind::TokenUnavailable, "the token endpoint took too long").transient()
}

/// The caller sent no token, or one that is not a JWT of an issuer.
pub(crate) fn no_caller_token_error() -> Error {
    let message = "the caller must show a token (JWT) of an issuer that `access.jwt` lists: this call came without one";
    Error::for_session_parameter(
        ErrorKind::MissingSessionValue,
        CallerToken::PLACE,
        message.to_owned(),
    )
}

fn login_instruction(command: Option<&str>) -> String {
    command.map_or_else(|| "log in again".to_owned(), |command| format!("run `{command}`"))
}

pub(crate) fn login_store_error(credential: &str, source: callgate_secret::Error) -> Error {
    let message = format!("the login of the credential `{credential}` cannot be kept or read");
    Error::new(ErrorKind::MissingSecret, message).with_store_cause(source)
}

/// An error of Google: its refusals contain only accounts and Google's own codes.
pub(crate) fn google_error(error: &callgate_google::Error) -> Error {
    let kind = match error.kind() {
        callgate_google::ErrorKind::Configuration => ErrorKind::Configuration,
        callgate_google::ErrorKind::Denied | callgate_google::ErrorKind::NotFound => {
            ErrorKind::TokenRefused
        }
        callgate_google::ErrorKind::MissingSecret => ErrorKind::MissingSecret,
        _ => ErrorKind::TokenUnavailable,
    };
    let is_transient = error.is_transient();
    Error { is_transient, ..Error::new(kind, error.to_string()) }
}

//! The reason why Google returned no token, secret or address. It names accounts, resources and Google's own codes; it
//! contains no value and nothing else of a response.

use std::fmt;

use callgate_secret::{SecretReference, single_flight::FetchFailure};

callgate_secret::error! {
    /// A failure to get something from Google.
    pub struct Error {
        status: Option<u16>,
        is_transient: bool,
    }

    pub(crate) fn new;
    pub(crate) fn with_source;
}

/// The class of an [`Error`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operator's settings or key cannot be used.
    Configuration,
    /// Google refused the account or its permissions.
    Denied,
    /// The operator's secret that holds the key is not available.
    MissingSecret,
    /// The resource does not exist.
    NotFound,
    /// Google could not be reached, or could not respond now.
    Unavailable,
    /// The response is not what Google documents.
    Unexpected,
}

impl Error {
    /// Returns true if a retry may succeed later without a change by the operator.
    pub fn is_transient(&self) -> bool {
        self.kind == ErrorKind::Unavailable || self.is_transient
    }

    /// Returns true if a service refused the token because it was revoked or expired on the way.
    pub(crate) fn is_refused_token(&self) -> bool {
        self.status == Some(401)
    }
}

impl FetchFailure for Error {
    fn is_transient(&self) -> bool {
        Self::is_transient(self)
    }
}

pub(crate) fn unreadable_key_error(
    reference: &SecretReference,
    source: callgate_secret::Error,
) -> Error {
    let message = format!("the key of the Google account cannot be had: `{reference}`");
    let is_transient = source.is_transient();
    Error { is_transient, ..Error::new(ErrorKind::MissingSecret, message) }.with_source(source)
}

callgate_secret::errors! {
    fn not_credentials(place: impl fmt::Display, what: &str) = Configuration:
        "{place} holds no credentials of a Google account: {what}";
    fn unreadable_file(path: impl fmt::Display, source: &std::io::Error) = Configuration:
        "the file of Google credentials cannot be read: `{path}`: {source}";
    fn foreign_token_uri() = Configuration:
        "the key's `token_uri` is none of Google's and the key is not sent there; set the token endpoint in the \
         configuration if it is meant";
    fn no_id_token(kind: &str) = Configuration:
        "credentials of the type `{kind}` get no identity tokens for an audience; stand in for a service account \
         (`impersonate`) or use its key";
    fn no_runtime() = Unavailable: "no thread could be started to fetch Google's tokens on";
    /// Default credentials do not exist: there is no file, and the machine is not Google's.
    fn no_default_credentials() = Unavailable:
        "expected application default credentials of Google: `GOOGLE_APPLICATION_CREDENTIALS` is not set, \
         `gcloud` wrote no file, and no metadata server answers: `gcloud auth application-default login` makes \
         them, or name a key";
    fn timed_out() = Unavailable: "Google's token service did not answer in time";
    fn unusable_token() = Unexpected: "Google's token is empty or cannot be put in a header";
    fn unsent(what: &str, error: &callgate_transport::Error) = Unavailable:
        "{what} cannot be reached: {error}";
    fn unexpected_answer(what: &str) = Unexpected:
        "{what} answered with something else than its documentation says";
    fn wrong_checksum(what: &str) = Unexpected: "{what} sent a value whose checksum is wrong";
    #[cfg(not(feature = "google"))]
    fn not_built_in() = Configuration:
        "tokens of Google accounts need a build of callgate with the feature `google`";
    fn not_text(what: &str) = Unexpected: "{what} holds something that is no text in UTF-8";
}

pub(crate) fn missing_token_error(is_transient: bool) -> Error {
    if is_transient {
        return Error::new(ErrorKind::Unavailable, "Google's token service cannot be reached now");
    }
    let message = "there is no token for this Google account: its private key cannot be used, or Google refuses the credentials or their scopes";
    Error::new(ErrorKind::Denied, message)
}

/// A refusal; `code` is one of Google's own codes or nothing.
pub(crate) fn service_refusal(what: &str, status: u16, code: Option<&str>) -> Error {
    let kind = match status {
        404 => ErrorKind::NotFound,
        408 | 429 | 500..=599 => ErrorKind::Unavailable,
        _ => ErrorKind::Denied,
    };
    let code = code.map(|code| format!(", {code}")).unwrap_or_default();
    Error { status: Some(status), ..Error::new(kind, format!("{what} answered {status}{code}")) }
}

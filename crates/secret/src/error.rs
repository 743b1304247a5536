//! The reason why a secret is unavailable or unusable. It names references, variables and files, but never a value: a text
//! that looks like a reference may be a pasted secret. The other modules of this crate make it.

use std::{fmt, time::Duration};

use crate::scheme::SecretScheme;

crate::error! {
    /// A failure to name, find, read or use a secret.
    ///
    /// ```
    /// use callgate_secret::{ErrorKind, SecretReference};
    ///
    /// let error = "t0k3n-that-was-pasted".parse::<SecretReference>().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Invalid);
    /// assert!(error.to_string().contains("`env:NAME`"), "it says how secrets are named");
    /// assert!(!error.to_string().contains("t0k3n"), "and shows nothing of the text");
    /// ```
    pub struct Error {}

    /// A failure of a store outside this crate; the message must hold no value.
    ///
    /// ```
    /// use std::io;
    ///
    /// use callgate_secret::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Unreadable, "the store of secrets does not answer")
    ///     .with_source(io::Error::from(io::ErrorKind::TimedOut));
    /// assert!(error.is_transient());
    /// ```
    pub fn new;

    /// Adds the cause; its text must hold no value.
    pub fn with_source;
}

/// The class of an [`Error`].
///
/// ```
/// use callgate_secret::{ErrorKind, LocalStores, SecretStore};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let stores = LocalStores::new(".");
/// let error = stores.get(&"env:PETS_KEY_THAT_IS_NOT_SET".parse()?).await.unwrap_err();
/// let step = match error.kind() {
///     ErrorKind::Denied | ErrorKind::NotFound => "look at the store",
///     ErrorKind::Invalid | ErrorKind::Unsupported => "correct the reference",
///     ErrorKind::Unreadable => "try again later",
///     _ => "tell the operator",
/// };
/// assert_eq!(step, "look at the store");
/// # Ok::<(), callgate_secret::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store does not allow callgate to read the secret.
    Denied,
    /// The reference or the value is malformed.
    Invalid,
    /// There is no secret with this reference.
    NotFound,
    /// The secret exists but cannot be read.
    Unreadable,
    /// No store of this build supports references of this scheme.
    Unsupported,
}

impl Error {
    /// Returns true if a retry may succeed without a change by the operator.
    pub fn is_transient(&self) -> bool {
        self.kind == ErrorKind::Unreadable
    }
}

pub(crate) fn not_a_reference() -> Error {
    let forms = SecretScheme::forms_text(|_| true);
    let message = format!(
        "a secret is named by a reference: {forms}; what was given is none of these and is not shown because it may be the secret itself"
    );
    Error::new(ErrorKind::Invalid, message)
}

crate::errors! {
    fn malformed_reference(scheme: &str, form: &str) = Invalid:
        "the reference after `{scheme}:` must be {form}";
    fn not_for_a_header(what: &str) = Invalid:
        "the secret cannot be put in a header: it holds {what}";
    fn empty(reference: impl fmt::Display) = Invalid: "the secret is empty: `{reference}`";
    fn not_text(reference: impl fmt::Display) = Invalid:
        "the secret must be UTF-8 text: `{reference}`";
    fn too_large(reference: impl fmt::Display, bound: u64) = Invalid:
        "the secret must be at most {bound} bytes: `{reference}`";
    fn unset_variable(name: &str) = NotFound: "the environment variable is not set: `{name}`";
    fn not_found(reference: impl fmt::Display) = NotFound: "there is no secret at: `{reference}`";
    fn unreadable(reference: impl fmt::Display) = Unreadable:
        "the secret cannot be read: `{reference}`";
    fn timed_out(reference: impl fmt::Display, limit: Duration) = Unreadable:
        "the store of secrets did not answer within {limit:?}: `{reference}`";
    fn leads_out(reference: impl fmt::Display) = Denied:
        "the secret lies outside the mounted directory: `{reference}`";
    fn remote(scheme: &str) = Unsupported:
        "secrets of the scheme `{scheme}:` are not on this machine";
    fn other_store(store: &str, scheme: &str) = Unsupported:
        "the {store} store holds no secrets of the scheme `{scheme}:`";
}

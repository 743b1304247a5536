//! The reason why a store failed. No sentence here names a key, a value or a secret.

use std::time::Duration;

callgate_secret::error! {
    /// The failure of a request to a store.
    ///
    /// ```
    /// use std::{error::Error as _, io};
    ///
    /// use callgate_session::{Error, ErrorKind};
    ///
    /// let lost = io::Error::from(io::ErrorKind::ConnectionReset);
    /// let error = Error::new(ErrorKind::Unavailable, "the database of sessions does not answer")
    ///     .with_source(lost);
    /// assert_eq!(error.to_string(), "the database of sessions does not answer");
    /// assert!(error.is_transient() && error.source().is_some());
    /// ```
    pub struct Error {
        retry_after: Option<Duration>,
    }

    /// A failure of a store outside this crate; the message must name no key, value or secret.
    ///
    /// ```
    /// use callgate_session::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Unavailable, "the database of sessions is restarting");
    /// assert!(error.is_transient());
    /// ```
    pub fn new;

    /// Adds the cause, whose text must also name no key, value or secret.
    pub fn with_source;
}

/// The class of an [`Error`].
///
/// ```
/// use callgate_session::{ErrorKind, Record};
///
/// let record = Record::json("a text")?;
/// let error = record.read::<Vec<u64>>().unwrap_err();
/// let step = match error.kind() {
///     ErrorKind::Conflict => "read the record again",
///     ErrorKind::Unavailable => "try again later",
///     ErrorKind::Unreadable => "make the record anew",
///     _ => "tell the operator",
/// };
/// assert_eq!(step, "make the record anew");
/// # Ok::<(), callgate_session::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The record does not have the expected version.
    Conflict,
    /// The other records leave no room for the record: those of other principals or, in a store that removes none before its
    /// end, those of all.
    Full,
    /// The key that seals records is unusable, or the record was sealed with another key.
    Sealing,
    /// The record is larger than the store may hold.
    TooLarge,
    /// The store cannot be reached.
    Unavailable,
    /// A stored value does not have the expected form.
    Unreadable,
}

impl Error {
    /// Sets the time after which a retry may succeed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use callgate_session::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Unavailable, "the database of sessions is restarting");
    /// let error = error.with_retry_after(Duration::from_secs(5));
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(5)));
    /// ```
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The time after which a retry may succeed, if it is known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns true if a retry may succeed.
    pub fn is_transient(&self) -> bool {
        match self.kind {
            ErrorKind::Conflict | ErrorKind::Full | ErrorKind::Unavailable => true,
            ErrorKind::Sealing | ErrorKind::TooLarge | ErrorKind::Unreadable => false,
        }
    }
}

callgate_secret::errors! {
    fn conflict() = Conflict: "the record is not in the expected version";
    fn too_large(bound: usize) = TooLarge: "the record is larger than {bound} bytes";
    fn short_key(least: usize) = Sealing: "expected a sealing key of at least {least} bytes";
    fn unusable_key() = Sealing: "the sealing key cannot be used";
    fn not_opened() = Sealing: "sealed bytes do not open: another key, or another place";
    fn unwritable() = Unreadable: "the value cannot be written as JSON";
}

pub(crate) fn no_room_error(wait: Option<Duration>) -> Error {
    let error = Error::new(ErrorKind::Full, "the other records leave no room for this one now");
    wait.into_iter().fold(error, Error::with_retry_after)
}

pub(crate) fn unreadable_value_error(source: &serde_json::Error) -> Error {
    // The text of the source may quote the value.
    let message = format!("a stored value is not in the expected form: column {}", source.column());
    Error::new(ErrorKind::Unreadable, message)
}

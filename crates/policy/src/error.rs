//! The reason why calls cannot be audited or an audit file cannot be checked.

use std::{io, path::Path};

callgate_secret::error! {
    /// The error of an audit file that cannot be used.
    ///
    /// ```
    /// use std::error::Error as _;
    ///
    /// use callgate_policy::{Error, verify_audit};
    ///
    /// # let key = callgate_secret::Secret::new("0123456789abcdef".to_owned());
    /// let error: Error = verify_audit(&["missing/audit.jsonl".into()], &key, None).unwrap_err();
    /// assert!(error.to_string().starts_with("cannot open the audit file"));
    /// println!("{error}: {}", error.source().expect("the system's own words"));
    /// ```
    pub struct Error {}

    pub(crate) fn new;
    pub(crate) fn with_source;
}

/// The class of an [`Error`].
///
/// ```
/// use std::time::Duration;
///
/// use callgate_policy::{Audit, AuditArguments, AuditConfig, AuditMode, ErrorKind};
/// use callgate_secret::Secret;
///
/// let config = AuditConfig {
///     file: "audit.jsonl".into(),
///     mode: AuditMode::Required,
///     arguments: AuditArguments::Digest,
/// };
/// let key = Secret::new("short".to_owned());
/// let error = Audit::open(&config, &key, Duration::ZERO).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::ShortKey);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Another process writes the file.
    Locked,
    /// The key is too short to be a secret, or is none of its kind.
    ShortKey,
    /// The file cannot be opened or read.
    Unreadable,
}

callgate_secret::errors! {
    fn short_key(least: usize) = ShortKey:
        "expected a key of at least {least} bytes, got a shorter one";
    fn not_a_webhook_key() = ShortKey:
        "expected `whsec_` and 24 to 64 bytes in base64, got another text";
    fn locked_file_error(file: &Path) = Locked:
        "another process writes the audit file: {file}", file = file.display();
}

pub(crate) fn unreadable_file_error(file: &Path, source: io::Error) -> Error {
    let message = format!("cannot open the audit file {}", file.display());
    Error::new(ErrorKind::Unreadable, message).with_source(source)
}

//! The reasons why a database cannot be loaded. None holds a value or a password; a text of the server stands only in one about
//! a statement of callgate's own, which quotes names of the catalog alone.

use crate::transaction::Failure;

callgate_secret::error! {
    /// A failure to connect to a database or to read its description.
    pub struct Error { position: Option<usize>, }

    pub(crate) fn new;

    pub(crate) fn with_source;
}

impl Error {
    /// The character of a statement, counted from 1, at which the database stopped.
    pub(crate) fn position(&self) -> Option<usize> {
        self.position
    }

    pub(crate) fn with_position(mut self, position: Option<usize>) -> Self {
        self.position = position;
        self
    }
}

/// The class of an [`Error`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The address cannot be read.
    Address,
    /// Every connection is in use, here or at the server, which says nothing else about the database.
    Busy,
    /// The database does not run a statement of callgate's own that reads its catalog.
    Catalog,
    /// The database refuses the login.
    Denied,
    /// The address names an engine that is not in this build.
    Feature,
    /// A statement cannot be prepared.
    Statement,
    /// The database cannot be reached now.
    Unavailable,
}

/// The reasons that pass: a database that is away, or cannot answer now. `None` for others.
pub(crate) fn transient_error(failure: &Failure) -> Option<Error> {
    let reason = match failure {
        Failure::Busy => return Some(Error::new(ErrorKind::Busy, "every connection is in use")),
        Failure::Conflict => "another process has locked what is read of the database",
        Failure::Full => "the disk of the database is full",
        Failure::Lost { .. } => "the connection to the database broke",
        Failure::TimedOut { .. } => "the database did not answer in time",
        Failure::Unable { code: None } => "the database cannot answer now",
        Failure::Unable { code: Some(code) } => {
            let message = format!("the database cannot answer now: code {code}");
            return Some(Error::new(ErrorKind::Unavailable, message));
        }
        Failure::Unavailable { reason } => reason,
        Failure::Constraint { .. }
        | Failure::Denied
        | Failure::Internal
        | Failure::InvalidValue
        | Failure::Malformed { .. }
        | Failure::Other { .. }
        | Failure::ReadOnly
        | Failure::ReadsTooMany { .. }
        | Failure::Stale
        | Failure::TooLarge
        | Failure::TooMany { .. }
        | Failure::Unexpected { .. } => return None,
    };
    Some(Error::new(ErrorKind::Unavailable, reason.to_owned()))
}

/// A connection that could not be opened, as the failure of a call.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Busy => Self::Busy,
            ErrorKind::Address
            | ErrorKind::Catalog
            | ErrorKind::Denied
            | ErrorKind::Feature
            | ErrorKind::Statement
            | ErrorKind::Unavailable => Self::Unavailable { reason: error.to_string() },
        }
    }
}

/// A statement that reads the catalog failed on the server, which is a fault of callgate.
pub(crate) fn catalog_statement_error(reason: &str) -> Error {
    let message = format!("a statement of callgate that reads the catalog failed: {reason}");
    Error::new(ErrorKind::Catalog, message)
}

//! The reasons why a database cannot be loaded. None holds a value, a password or a text of the server.

callgate_secret::error! {
    /// A failure to connect to a database or to read its description.
    pub struct Error {}

    pub(crate) fn new;

    pub(crate) fn with_source;
}

/// The class of an [`Error`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The address cannot be read, or names an engine that is not in this build.
    Address,
    /// The database refuses the login.
    Denied,
    /// A statement cannot be prepared.
    Statement,
    /// The database cannot be reached now.
    Unavailable,
}

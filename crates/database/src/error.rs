//! The reasons why a database cannot be loaded. None holds a value or a password; a text of the server stands only in one about
//! a statement of callgate's own, which quotes names of the catalog alone.

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
    /// Every connection is in use, which says nothing about the database.
    Busy,
    /// The database does not run a statement of callgate's own that reads its catalog.
    Catalog,
    /// The database refuses the login.
    Denied,
    /// A statement cannot be prepared.
    Statement,
    /// The database cannot be reached now.
    Unavailable,
}

/// A statement that reads the catalog failed on the server, which is a fault of callgate.
pub(crate) fn own_statement(reason: &str) -> Error {
    let message = format!("a statement of callgate that reads the catalog failed: {reason}");
    Error::new(ErrorKind::Catalog, message)
}

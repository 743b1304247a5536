//! The reasons why nothing can be drafted.

callgate_secret::error! {
    /// The failure of a draft, or of reading what it is made from.
    pub struct Error {}

    fn new;

    pub(crate) fn with_source;
}

/// The class of an [`Error`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no exchange that a description could be made from.
    Empty,
    /// A text is not in the format that it is said to have.
    Unreadable,
}

callgate_secret::errors! {
    /// A format that the text does not have.
    fn unreadable(place: &str, expected: &str) = Unreadable: "{place}: expected {expected}";

    /// The address of a request.
    fn invalid_address(place: &str, why: &str) = Unreadable: "{place}: expected an address such as `https://api.pets.example/pets/7`: {why}";

    /// A description that no draft is added to.
    fn other_version(got: &str) = Unreadable: "the description that the draft is added to: expected OpenAPI 3.0, 3.1 or 3.2 (`openapi: 3.1.0`), got {got}";

    /// Nothing to make a description from.
    fn no_exchange() = Empty: "expected at least one request to a service, got none";
}

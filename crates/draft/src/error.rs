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

    /// Nothing to make a description from.
    fn no_exchange() = Empty: "expected at least one request to a service, got none";
}

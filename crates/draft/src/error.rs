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
    /// A model changed more than names and words.
    Refused,
    /// A request is larger than any of a service, or a draft than a model reads at once.
    TooLarge,
    /// A text is not in the format that it is said to have.
    Unreadable,
}

callgate_secret::errors! {
    /// A format that the text does not have.
    fn unreadable(place: &str, expected: &str) = Unreadable: "{place}: expected {expected}";

    /// The address of a request.
    fn invalid_address(place: &str, why: &str) = Unreadable: "{place}: expected an address such as `https://api.pets.example/pets/7`: {why}";

    /// A method that no description has a place for.
    fn invalid_method(place: &str) = Unreadable: "{place}: expected a method that OpenAPI has (DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE)";

    /// A status that no response has.
    fn invalid_status(place: &str, got: u16) = Unreadable: "{place}: expected a status from 100 to 599, got: {got}";

    /// A description that no draft is added to.
    fn other_version(got: &str) = Unreadable: "the description that the draft is added to: expected OpenAPI 3.0, 3.1 or 3.2 (`openapi: 3.1.0`), got {got}";

    /// A request of more parts than services have.
    fn too_many(place: &str, what: &str, most: usize, got: usize) = TooLarge: "{place}: expected at most {most} {what}, got: {got}";

    /// A draft that a model cannot read at once.
    fn too_large(got: usize, most: usize) = TooLarge: "expected a draft of at most {most} bytes with its examples, got: {got}";

    /// What a model changed beyond names and words.
    fn refused_overlay(places: &str) = Refused: "the model changed what it may not: {places}";

    /// Nothing to make a description from.
    fn no_exchange() = Empty: "expected at least one request to a service, got none";
}

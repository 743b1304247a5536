//! The scope of a signature, and the headers it is made of.

use http::{HeaderName, HeaderValue};

/// The use of a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers name every part of the scope")]
pub struct Scope {
    /// The region: `eu-west-1`.
    pub region: String,
    /// The service as signatures call it: `s3`, `execute-api`.
    pub service: String,
    /// True if the body is left out of the signature, which some services ask for and which TLS must then protect.
    pub is_payload_unsigned: bool,
}

/// A header of a signature.
#[derive(Debug)]
#[non_exhaustive]
pub struct Signed {
    /// Its name.
    pub name: HeaderName,
    /// Its value, marked sensitive.
    pub value: HeaderValue,
}

//! The scope of a signature, and the headers that carry it.

use http::{HeaderName, HeaderValue};

/// The region and service that a signature is valid for.
///
/// ```
/// # #[cfg(feature = "aws")]
/// # {
/// # use std::time::SystemTime;
/// #
/// # use bytes::Bytes;
/// # use callgate_secret::Secret;
/// use callgate_store::aws::{AwsKeys, Scope, sign};
/// # use http::Request;
///
/// let keys = AwsKeys {
///     access_key_id: Secret::new("AKIDEXAMPLE".to_owned()),
///     secret_access_key: Secret::new("s3cr3t".to_owned()),
///     session_token: None,
/// };
/// let scope = Scope {
///     region: "eu-west-1".to_owned(),
///     service: "execute-api".to_owned(),
///     is_payload_unsigned: false,
/// };
/// let request = Request::get("https://api.example.com/pets").body(Bytes::new())?;
/// let signed = sign(&request, &keys, &scope, SystemTime::now())?;
/// assert!(signed.iter().any(|header| header.name == "authorization"));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scope {
    /// The region: `eu-west-1`.
    pub region: String,
    /// The service, as signatures name it: `s3`, `execute-api`.
    pub service: String,
    /// True if the signature does not cover the body, which some services require; TLS must then protect the body.
    pub is_payload_unsigned: bool,
}

/// A header of a signature.
#[derive(Debug)]
#[non_exhaustive]
pub struct Signed {
    /// The name of the header.
    pub name: HeaderName,
    /// The value of the header, marked sensitive.
    pub value: HeaderValue,
}

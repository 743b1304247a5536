//! Replaces the signer when it is not built in: every request is refused with an error that gives the reason.

use std::time::SystemTime;

use bytes::Bytes;
use callgate_secret::{Error, ErrorKind};
use http::Request;

use super::{
    access_key::AwsKeys,
    scope::{Scope, Signed},
};

/// Refuses to sign.
///
/// # Errors
/// `Unsupported`, always.
pub fn sign(
    _: &Request<Bytes>,
    _: &AwsKeys,
    _: &Scope,
    _: SystemTime,
) -> Result<Vec<Signed>, Error> {
    let message = "signatures of AWS need a build of callgate with the feature `aws`";
    Err(Error::new(ErrorKind::Unsupported, message))
}

//! In place of signatures where the arithmetic is not built in: there are none, and why is said.

use std::time::SystemTime;

use bytes::Bytes;
use callgate_secret::{Error, ErrorKind};
use http::Request;

use super::{
    access_key::AwsKeys,
    scope::{Scope, Signed},
};

/// Refuses.
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

//! The trait behind which requests leave. Knows no client.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};

use crate::{error::Error, limits::Limits};

/// A way to have one request answered: over the network, from recordings, or not at all.
#[async_trait]
pub trait Transport: Debug + Send + Sync {
    /// Sends the request once and reads its answer whole, within the limits.
    ///
    /// An answer of any status is an answer; a redirect is answered as it came and not followed.
    ///
    /// # Errors
    /// Every [`ErrorKind`](crate::ErrorKind); [`Error::reached`] says whether the service may have seen the request.
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error>;

    /// Whether the request's origin may be called, as far as the URL tells: asked before a credential is fetched for it.
    /// What its name resolves to is judged when it is sent.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused), with [`Error::denial`].
    fn check(&self, _request: &Request<Bytes>) -> Result<(), Error> {
        Ok(())
    }
}

//! The trait behind which requests leave. Knows no client.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::NamedBy;
use http::{Request, Response, Uri};

use crate::{error::Error, limits::Limits, response_body::ResponseBody};

/// A way to have one request answered: over the network, from recordings, or not at all.
///
/// ```
/// use bytes::Bytes;
/// use callgate_transport::{Error, Limits, Transport};
/// use http::{Request, Response, StatusCode};
///
/// /// A service that answers nothing but that it is there.
/// #[derive(Debug)]
/// struct Empty;
///
/// #[async_trait::async_trait]
/// impl Transport for Empty {
///     async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
///         let mut answer = Response::new(Bytes::new());
///         *answer.status_mut() = StatusCode::NO_CONTENT;
///         Ok(answer)
///     }
/// }
/// ```
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

    /// True if the request's origin may be called, as far as the URL tells: asked before a credential is
    /// fetched for it. What its name resolves to is judged when it is sent.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused), with [`Error::denial`].
    fn check(&self, _request: &Request<Bytes>) -> Result<(), Error> {
        Ok(())
    }

    /// Makes a connection to an origin that the operator or a description named, and sends nothing over it: a name that is
    /// found, a port that is open, a certificate that is trusted. A transport without a network has none to make.
    ///
    /// # Errors
    /// As [`send`](Self::send), of what comes before a request.
    async fn connect(&self, _origin: &Uri, _named_by: NamedBy) -> Result<(), Error> {
        Ok(())
    }

    /// Sends the request once and answers as soon as the head of the answer is there, which must be within the time
    /// limit. The caller bounds how long the body takes and how much of it is read.
    ///
    /// Unless a transport says otherwise the answer is read whole first.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    async fn open(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<ResponseBody>, Error> {
        Ok(self.send(request, limits).await?.map(ResponseBody::whole))
    }
}

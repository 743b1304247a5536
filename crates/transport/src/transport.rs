//! The trait through which requests are sent. The module knows no HTTP client.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::NamedBy;
use http::{Request, Response, Uri};

use crate::{error::Error, limits::Limits, response_body::ResponseBody};

/// A way to get the response to one request: over the network, from recordings, or not at all.
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
    /// Sends the request once and reads the whole response, within the limits.
    ///
    /// A response of any status is a success; a redirect is returned and not followed.
    ///
    /// # Errors
    /// Any [`ErrorKind`](crate::ErrorKind); [`Error::reached_service`] says whether the service may have seen the request.
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error>;

    /// Checks that the request's origin may be called, as far as the URL shows, before a credential is fetched for it. The
    /// addresses of its name are checked when it is sent.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused), with [`Error::denial`].
    fn check(&self, _request: &Request<Bytes>) -> Result<(), Error> {
        Ok(())
    }

    /// Makes a connection to an origin that the operator or a description named, without sending anything: it shows that
    /// the name is found, the port is open and the certificate is trusted. A transport without a network does nothing.
    ///
    /// # Errors
    /// The errors of [`send`](Self::send) that precede a request.
    async fn connect(&self, _origin: &Uri, _named_by: NamedBy) -> Result<(), Error> {
        Ok(())
    }

    /// Sends the request once and returns as soon as the head of the response arrives, within the time limit. The caller
    /// limits the time and the size of the body.
    ///
    /// By default, a transport reads the whole response first.
    ///
    /// # Errors
    /// The errors of [`send`](Self::send).
    async fn open(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<ResponseBody>, Error> {
        Ok(self.send(request, limits).await?.map(ResponseBody::whole))
    }
}

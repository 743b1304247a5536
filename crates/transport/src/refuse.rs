//! The transport that sends nothing, for programs that only show requests.

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};

use crate::{
    error::{self, Error},
    limits::Limits,
    transport::Transport,
};

/// Refuses every request.
///
/// ```
/// use bytes::Bytes;
/// use callgate_tool::Reached;
/// use callgate_transport::{ErrorKind, Limits, Refuse, Transport};
/// use http::Request;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let request = Request::get("https://api.example.com/pets").body(Bytes::new())?;
/// let error = Refuse::new().send(request, &Limits::default()).await.unwrap_err();
/// assert_eq!((error.kind(), error.reached_service()), (ErrorKind::Refused, Reached::No));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Refuse;

impl Refuse {
    /// A transport that refuses every request.
    pub fn new() -> Self {
        Self
    }
}

#[async_trait]
impl Transport for Refuse {
    async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        Err(error::refused_error("nothing is sent here: only dry runs are allowed"))
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::Reached;

    use super::*;
    use crate::ErrorKind;

    #[tokio::test]
    async fn a_refusing_transport_refuses_every_request() {
        let request = Request::new(Bytes::new());
        let error = Refuse::new().send(request, &Limits::default()).await.unwrap_err();
        assert_eq!((error.kind(), error.reached_service()), (ErrorKind::Refused, Reached::No));
    }
}

//! One exchange with a store: a request, which may contain secrets, and a response within a size limit. The bodies of
//! both are zeroized when they are dropped, unless other owners share them. The stores interpret the statuses.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_secret::{Error, ErrorKind};
use callgate_transport::{Limits, Transport};
use http::{Request, StatusCode};
use zeroize::{Zeroize, Zeroizing};

/// The memory that a response is read into; zeroized when dropped, unless the HTTP client still holds that memory.
#[derive(Debug, Default)]
pub(crate) struct Body(Bytes);

#[derive(Debug)]
pub(crate) struct StoreResponse {
    pub(crate) status: StatusCode,
    pub(crate) body: Body,
}

impl Body {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Ok(mut bytes) = std::mem::take(&mut self.0).try_into_mut() {
            bytes.as_mut().zeroize();
        }
    }
}

/// A request's body that is zeroized after it was sent.
pub(crate) fn body_zeroized_on_drop(text: Zeroizing<Vec<u8>>) -> Bytes {
    Bytes::from_owner(text)
}

/// Sends a request of the store called `store`. A response of any status counts as success.
pub(crate) async fn send_request(
    store: &str,
    transport: &Arc<dyn Transport>,
    request: Request<Bytes>,
) -> Result<StoreResponse, Error> {
    let response = transport.send(request, &LIMITS).await.map_err(|source| {
        let message = format!("{store} cannot be reached: {source}");
        Error::new(ErrorKind::Unreadable, message).with_source(source)
    })?;
    Ok(StoreResponse { status: response.status(), body: Body(response.into_body()) })
}

/// The error for a request that cannot be built, because no URL or header can hold an address or a name.
pub(crate) fn malformed_request_error(store: &str, source: http::Error) -> Error {
    let message = format!("{store} cannot be asked: the address or a name is malformed");
    Error::new(ErrorKind::Invalid, message).with_source(source)
}

/// The limits of a request. The cache in front of a store ends a request after five seconds; this timeout is for
/// callers without that cache. A secret is far smaller than the size limit: stores accept 64 KiB (AWS) and 1 MiB
/// (Vault).
const LIMITS: Limits = Limits { timeout: Duration::from_secs(10), response_bytes: 2 * 1024 * 1024 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_unwritable_request_shows_no_url() {
        let request = Request::get("http://a b/").body(()).unwrap_err();
        let error = malformed_request_error("the vault", request);
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(!format!("{error}").contains("a b"), "{error}");
    }
}

//! Fetches a document that a description refers to from an origin that the operator listed: one request, no redirect,
//! no credential.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_openapi::Unavailable;
use callgate_transport::{Client, Limits, Transport};
use http::{Request, StatusCode, header::ACCEPT};
use url::Url;

use super::unreadable_document;

/// The bytes of the document at `url`, at most `most`.
pub(super) async fn fetch_document(
    transport: Option<&Arc<dyn Transport>>,
    url: &Url,
    most: usize,
) -> Result<Vec<u8>, Unavailable> {
    let failed = || unreadable_document("a reference to an address that answers");
    let request = Request::get(url.as_str()).header(ACCEPT, "application/yaml, application/json");
    let request = request.body(Bytes::new()).map_err(|_| failed())?;
    let transport = match transport {
        Some(transport) => Arc::clone(transport),
        None => Arc::new(Client::new().map_err(|_| failed())?),
    };
    let limits = Limits { timeout: TIMEOUT, response_bytes: most };
    let answer = transport.send(request, &limits).await.map_err(|_| failed())?;
    if answer.status() != StatusCode::OK {
        return Err(unreadable_document("a reference to an address that answers with status 200"));
    }
    Ok(answer.into_body().to_vec())
}

/// The timeout of a request: a person waits while a description is loaded.
const TIMEOUT: Duration = Duration::from_secs(10);

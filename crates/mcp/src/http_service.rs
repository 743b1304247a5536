//! MCP over Streamable HTTP, as a service that a gateway mounts. The gateway has checked `Host`, `Origin` and who asks; what
//! it found travels in the extensions of the request.

use std::{convert::Infallible, fmt, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tower_service::Service;

use crate::{
    direct,
    host::Host,
    message::{Exact, Refusal},
    server::Server,
};

/// The service. Clones share everything.
#[derive(Clone)]
pub struct McpService {
    host: Arc<dyn Host>,
}

impl McpService {
    /// Serves a host's tools. Bodies are bounded by whoever collects them.
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self { host }
    }

    /// Answers a request.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<BoxBody<Bytes, Infallible>> {
        let (mut head, body) = request.into_parts();
        if head.method == Method::POST {
            let exact = match self.read(&head, &body) {
                Ok(exact) => exact,
                Err(refused) => return refused.map(|body| Full::new(body).boxed()),
            };
            let schemas = self.host.listing().schemas;
            if let Some(abilities) = direct::abilities(&head, &exact, schemas) {
                let answer = direct::answer(&*self.host, (&head, &exact), abilities).await;
                return answer.map(|body| Full::new(body).boxed());
            }
            head.extensions.insert(Arc::new(exact));
        }
        let request = Request::from_parts(head, Full::new(body));
        let Ok(response) = self.service().call(request).await;
        response
    }

    /// The library's own way. Nothing of it outlives a request.
    fn service(&self) -> StreamableHttpService<Server, NeverSessionManager> {
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(usize::MAX);
        let served = Arc::clone(&self.host);
        let server = move || Ok(Server(Arc::clone(&served)));
        StreamableHttpService::new(server, Arc::default(), config)
    }

    /// The message of a request, unless it is none or calls what its sender may not.
    fn read(&self, head: &Parts, body: &[u8]) -> Result<Exact, Box<Response<Bytes>>> {
        let exact = Exact::of(body).map_err(|refusal| Box::new(refused(&refusal)))?;
        let denied = exact.called().find_map(|tool| self.host.denied(head, &tool));
        match denied {
            Some(denied) => Err(Box::new(denied)),
            None => Ok(exact),
        }
    }
}

/// A message that is not taken (MCP 2026-07-28, transports: 400 with an error of JSON-RPC).
fn refused(refusal: &Refusal) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(refusal.text()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("McpService")
    }
}

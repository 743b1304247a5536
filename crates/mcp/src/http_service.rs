//! MCP over Streamable HTTP, as a service that a gateway mounts. The gateway has checked `Host`, `Origin` and who asks; what
//! it found travels in the extensions of the request.

use std::{convert::Infallible, fmt, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tower_service::Service;

use crate::{host::Host, server::Server};

/// The service. Clones share everything.
#[derive(Clone)]
pub struct McpService(StreamableHttpService<Server, NeverSessionManager>);

impl McpService {
    /// Serves a host's tools; bodies have at most so many bytes.
    pub fn new(host: Arc<dyn Host>, body_bytes: usize) -> Self {
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body_bytes);
        let server = move || Ok(Server(Arc::clone(&host)));
        Self(StreamableHttpService::new(server, Arc::default(), config))
    }

    /// Answers a request.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body<Data: Send, Error: fmt::Display> + Send + 'static,
    {
        let Ok(response) = self.0.clone().call(request).await;
        response
    }
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("McpService")
    }
}

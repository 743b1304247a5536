//! MCP over Streamable HTTP, as a service that a gateway mounts. The gateway has checked `Host`, `Origin` and the caller;
//! its findings are in the extensions of the request.

use std::{convert::Infallible, future::ready, sync::Arc};

use bytes::Bytes;
use callgate_executor::Entry;
use futures_util::{StreamExt, future::BoxFuture, stream};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::{
    model::ProtocolVersion,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use tower_service::Service;

use crate::{
    batch, direct,
    host::Host,
    message::{ExactCall, KEY_HEADER, Refusal},
    method_errors::explained_unknown_method,
    server::Server,
};

/// The MCP service. Clones share everything.
#[derive(Clone)]
pub struct McpService {
    host: Arc<dyn Host>,
}

impl McpService {
    /// Serves a host's tools. The code that collects bodies must limit their size.
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self { host }
    }

    /// Answers a request.
    // In a box for the reason that `serve_stdio` gives.
    pub fn answer(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Response<BoxBody<Bytes, Infallible>>> {
        Box::pin(self.answer_request(request))
    }

    async fn answer_request(
        &self,
        request: Request<Bytes>,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        let (head, body) = request.into_parts();
        let is_sent = head.method == Method::POST;
        let batch = is_sent.then(|| batch::messages_if_batch(&head.headers, &body)).flatten();
        match batch {
            None => self.answer_message(head, body).await,
            Some(Ok(messages)) => {
                self.answer_batch(head, messages).await.map(|body| Full::new(body).boxed())
            }
            Some(Err(refusal)) => refusal_response(&refusal).map(|body| Full::new(body).boxed()),
        }
    }

    /// Answers each of several messages; none of them if one calls a tool that its sender may not call.
    async fn answer_batch(&self, mut head: Parts, messages: Vec<Bytes>) -> Response<Bytes> {
        let exact = messages.iter().filter_map(|message| ExactCall::from_text(message).ok());
        let calls: Vec<_> = exact.filter(|exact| exact.tool.is_some()).collect();
        if let Some(denied) = calls.iter().find_map(|exact| self.denial_response(&head, exact)) {
            return denied;
        }
        if calls.len() > 1 && head.headers.contains_key(KEY_HEADER) {
            return refusal_response(&Refusal::shared_idempotency_key());
        }
        head.headers.remove(header::CONTENT_LENGTH);
        let answers = messages.into_iter().map(|message| {
            let head = head.clone();
            async move { batch::final_message(self.answer_message(head, message).await).await }
        });
        let answers = stream::iter(answers).buffered(batch::AT_ONCE);
        let answers: Vec<String> = answers.filter_map(ready).collect().await;
        batch::batch_response(&answers)
    }

    async fn answer_message(
        &self,
        mut head: Parts,
        body: Bytes,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        if head.method == Method::POST {
            let exact = match self.read_allowed_message(&head, &body) {
                Ok(exact) => exact,
                Err(refused) => return refused.map(|body| Full::new(body).boxed()),
            };
            let schemas = self.host.listing_settings().schemas;
            let abilities = direct::client_abilities_if_direct(&head, &exact, schemas);
            if let Some(abilities) = abilities.filter(|_| !self.has_argument_headers(&exact)) {
                let answer =
                    direct::answer_call_directly(&*self.host, &head, &exact, abilities).await;
                return answer.map(|body| Full::new(body).boxed());
            }
            head.extensions.insert(Arc::new(exact));
        }
        let is_json = has_json_content_type(&head.headers);
        let request = Request::from_parts(head, Full::new(body.clone()));
        let Ok(response) = self.library_service().call(request).await;
        if has_json_rpc_body(&response) {
            return explain_unknown_method(response).await;
        }
        to_json_rpc_refusal(response, &body, is_json).await.map(|body| Full::new(body).boxed())
    }

    /// The library's service for one request; nothing of it outlives the request.
    fn library_service(&self) -> StreamableHttpService<Server, NeverSessionManager> {
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(usize::MAX);
        let served = Arc::clone(&self.host);
        let server = move || Ok(Server(Arc::clone(&served)));
        StreamableHttpService::new(server, Arc::default(), config)
    }

    /// True if arguments of the called tool may be in headers, which the library checks.
    fn has_argument_headers(&self, exact: &ExactCall) -> bool {
        let executor = self.host.executor();
        let entry = exact.tool.as_deref().and_then(|tool| executor.find(tool));
        let tool = entry.and_then(Entry::declaration);
        tool.is_some_and(|tool| !tool.mcp_headers.is_empty())
    }

    /// Reads the message of a request. Fails if it is not a message or calls a tool that its sender may not call.
    fn read_allowed_message(
        &self,
        head: &Parts,
        body: &[u8],
    ) -> Result<ExactCall, Box<Response<Bytes>>> {
        let exact = ExactCall::from_text(body)
            .and_then(|exact| exact.with_idempotency_header(&head.headers));
        let exact = exact.map_err(|refusal| Box::new(refusal_response(&refusal)))?;
        match self.denial_response(head, &exact) {
            Some(denied) => Err(Box::new(denied)),
            None => Ok(exact),
        }
    }

    fn denial_response(&self, head: &Parts, exact: &ExactCall) -> Option<Response<Bytes>> {
        exact.called_tools().find_map(|tool| self.host.denial_response(head, &tool))
    }
}

fn has_json_content_type(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// False for a refusal that the library words in plain text.
fn has_json_rpc_body(response: &Response<BoxBody<Bytes, Infallible>>) -> bool {
    !response.status().is_client_error() || response.headers().contains_key(header::CONTENT_TYPE)
}

async fn explain_unknown_method(
    response: Response<BoxBody<Bytes, Infallible>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    if !has_json_content_type(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes);
    let body = match explained_unknown_method(&body) {
        Some(worded) => {
            head.headers.remove(header::CONTENT_LENGTH);
            worded
        }
        None => body,
    };
    Response::from_parts(head, Full::new(body).boxed())
}

/// Turns a refusal in plain text into an error of JSON-RPC that says what was expected.
async fn to_json_rpc_refusal(
    response: Response<BoxBody<Bytes, Infallible>>,
    asked: &[u8],
    is_json: bool,
) -> Response<Bytes> {
    let (mut head, body) = response.into_parts();
    let Ok(text) = body.collect().await.map(http_body_util::Collected::to_bytes);
    let text = String::from_utf8_lossy(&text);
    let refusal = match head.status {
        // The media type is right, but the text is not a message.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => {
            head.status = StatusCode::BAD_REQUEST;
            Refusal::not_mcp_message(asked)
        }
        StatusCode::BAD_REQUEST if text.contains("MCP-Protocol-Version") => {
            let known_versions: Vec<_> =
                ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
            let version_list = known_versions.join("`, `");
            Refusal::invalid_request(asked, format!("{text}; expected one of `{version_list}`"))
        }
        _ => Refusal::invalid_request(asked, text.into_owned()),
    };
    let mut refused = refusal_response(&refusal);
    *refused.status_mut() = head.status;
    if let Some(allowed) = head.headers.remove(header::ALLOW) {
        refused.headers_mut().insert(header::ALLOW, allowed);
    }
    refused
}

/// The response to a message that is refused (MCP 2026-07-28, transports: 400 with an error of JSON-RPC).
fn refusal_response(refusal: &Refusal) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(refusal.json_rpc_error_text()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

callgate_secret::opaque!(McpService = "McpService");

//! The server with errors in words: a method that it does not know is named after `Method not found`.

use std::borrow::Cow;

use bytes::Bytes;
use callgate_tool::Value;
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{
        ClientNotification, ClientRequest, ErrorCode, ProtocolVersion, ServerConfig, ServerResult,
    },
    service::{NotificationContext, RequestContext},
};

use crate::server::Server;

/// A server that says in its errors what went wrong.
#[derive(Clone)]
pub(crate) struct WithMethodErrors(pub(crate) Server);

impl Service<RoleServer> for WithMethodErrors {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        Box::pin(self.0.handle_request(request, context)).await.map_err(explain_if_unknown_method)
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.0)
    }
}

/// The library gives the bare name of a method that nobody knows.
fn explain_if_unknown_method(mut error: ErrorData) -> ErrorData {
    if error.code == ErrorCode::METHOD_NOT_FOUND {
        let method: String = error.message.chars().take(LONGEST).collect();
        error.message = format!("Method not found: {method}").into();
    }
    error
}

/// The body of a response with its error in words; `None` if it has none that needs them.
pub(crate) fn explained_unknown_method(body: &[u8]) -> Option<Bytes> {
    let start = body.get(..body.len().min(START))?;
    if !start.windows(CODE.len()).any(|piece| piece == CODE) {
        return None;
    }
    let mut response = Value::from_slice(body).ok()?;
    let error = response.as_object_mut()?.get_mut("error")?.as_object_mut()?;
    let code = error.get("code").and_then(Value::as_i64)?;
    if code != i64::from(ErrorCode::METHOD_NOT_FOUND.0) {
        return None;
    }
    let message = error.get("message").and_then(Value::as_str)?.to_owned();
    let said = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    error.insert("message", Value::from(&*explain_if_unknown_method(said).message));
    Some(Bytes::from(response.to_string()))
}

/// The code of a method that nobody knows, as JSON-RPC writes it.
const CODE: &[u8] = b"-32601";
/// The first bytes of a response, among which the code of its error is.
const START: usize = 1024;
/// The longest name of a method that an error repeats, in characters.
const LONGEST: usize = 128;

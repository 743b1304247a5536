//! MCP content of a result beside the tool's answer.

use base64::{Engine, engine::general_purpose::STANDARD};
use callgate_tool::{Value, json};

/// Content beside a tool's answer. Some clients do not forward every kind to their model.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment(Value);

impl Attachment {
    /// A resource whose text is a part of the result.
    pub fn resource(uri: &str, media_type: &str, text: &str) -> Self {
        let resource = json!({"uri": uri, "mimeType": media_type, "text": text});
        Self(json!({"type": "resource", "resource": resource}))
    }

    /// A resource whose bytes are a part of the result.
    pub fn resource_of_bytes(uri: &str, media_type: &str, bytes: &[u8]) -> Self {
        let resource =
            json!({"uri": uri, "mimeType": media_type, "blob": (STANDARD.encode(bytes))});
        Self(json!({"type": "resource", "resource": resource}))
    }

    pub(crate) fn into_value(self) -> Value {
        self.0
    }
}

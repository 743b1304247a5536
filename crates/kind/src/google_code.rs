//! The code of a failure of a Google service.

use callgate_tool::{Value, json};

/// Google's code for a failure, without its words, which may quote values of others.
pub fn google_error_status(body: &Value) -> Option<Value> {
    let code = body.pointer("/error/status")?.as_str()?;
    let is_code =
        code.len() <= 40 && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_code.then(|| json!({"status": code}))
}

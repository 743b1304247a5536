//! The call of a page that tries a tool.

use callgate_gateway::PageRequest;
use callgate_tool::{Value, json};

use crate::{confirmation, layout::member_text};

/// The call that was sent, or would be.
#[derive(Clone, Copy)]
pub(crate) struct TriedCall<'s> {
    pub(crate) request: &'s PageRequest,
    pub(crate) tool: &'s Value,
    pub(crate) arguments: &'s Value,
    pub(crate) session: &'s Value,
}

impl TriedCall<'_> {
    /// The body of `/v1/calls`. A call that was confirmed has its key.
    pub(crate) fn body(&self, is_dry_run: bool) -> Value {
        let mut call = json!({"id": "1", "tool": (member_text(self.tool, "name")), "args": (self.arguments.clone())});
        let key = confirmation::confirmed_call_key(self.request);
        if let (false, Some(members)) = (key.is_empty(), call.as_object_mut()) {
            members.insert("idempotencyKey", key.into());
        }
        json!({"calls": [call], "session": (self.session.clone()), "dryRun": is_dry_run, "journal": true})
    }
}

//! The call of a page that tries a tool.

use callgate_gateway::PageRequest;
use callgate_tool::Value;

/// The call that was sent, or would be.
#[derive(Clone, Copy)]
pub(crate) struct TriedCall<'s> {
    pub(crate) request: &'s PageRequest,
    pub(crate) tool: &'s Value,
    pub(crate) arguments: &'s Value,
    pub(crate) session: &'s Value,
}

//! The mark of a response that waits for changes, as in MCP.

/// An extension of a response that waits for changes: it takes no place from calls, and has its own limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listens;

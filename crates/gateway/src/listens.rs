//! The mark of an answer that waits for changes of what it answered, as those of MCP do.

/// Stands among the extensions of such an answer: it takes no place from calls, and has a bound of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listens;

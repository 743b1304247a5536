//! The conversations with agents that a sidecar keeps: in its state, or in its memory.

use std::sync::Arc;

use callgate_agent::Transcripts;
use callgate_session::{Bounds, Memory, Store};

/// The kept conversations: in the state of the sidecar, or in its memory.
pub(crate) fn transcripts(state: Option<&Arc<dyn Store>>) -> Transcripts {
    let bounds = Bounds { records: MOST_TRANSCRIPTS, bytes: MOST_BYTES };
    Transcripts::new(state.map_or_else(|| Arc::new(Memory::new(bounds)) as _, Arc::clone))
}

const MOST_TRANSCRIPTS: usize = 10_000;
const MOST_BYTES: usize = 256 * 1024 * 1024;

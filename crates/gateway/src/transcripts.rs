//! The conversations with agents that a sidecar keeps, and their budgets: in its state, or in its memory.

use std::sync::Arc;

use callgate_agent::Transcripts;
use callgate_session::{Bounds, Memory, Store};

/// The kept conversations: in the state of the sidecar, or in its memory.
pub(crate) fn transcripts(state: Option<&Arc<dyn Store>>) -> Transcripts {
    let bounds = Bounds { records: MOST_TRANSCRIPTS, bytes: MOST_BYTES };
    match state {
        Some(state) => Transcripts::new(Arc::clone(state)),
        None => Transcripts::new(Arc::new(Memory::new(bounds)))
            .with_budgets(Arc::new(Memory::refusing(OF_BUDGETS))),
    }
}

/// Each takes a hundred bytes. A principal that finds no room is refused: a budget that made room would be free again.
const OF_BUDGETS: Bounds = Bounds { records: 200_000, bytes: 64 * 1024 * 1024 };
const MOST_TRANSCRIPTS: usize = 10_000;
const MOST_BYTES: usize = 256 * 1024 * 1024;

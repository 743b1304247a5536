//! The line that a turn of an agent leaves in the file at its end, and the id by which the lines of its calls name it. It has
//! no word of the conversation.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use callgate_tool::{Principal, Session};

/// The id of a turn. As an extension of a call, it is in the call's first line.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TurnId {
    process: u64,
    number: u64,
}

/// A turn that has ended.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct TurnEnd<'t> {
    /// The id.
    pub id: TurnId,
    /// The name of the agent.
    pub agent: &'t str,
    /// The caller.
    pub principal: Option<&'t Principal>,
    /// The session of the caller; its id is recorded as a digest.
    pub session: &'t Session,
    /// The reason of the end.
    pub end: &'t str,
    /// The requests to the model.
    pub n_rounds: usize,
    /// The calls that were made.
    pub n_calls: usize,
    /// The tokens of the requests.
    pub input_tokens: u64,
    /// The tokens of the replies.
    pub output_tokens: u64,
    /// True if some of the tokens are estimated.
    pub is_estimated: bool,
    /// The time that the turn took.
    pub elapsed: Duration,
}

impl TurnId {
    /// An id that no other turn has.
    pub fn unique() -> Self {
        Self { process: *PROCESS, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }
}

callgate_secret::text!(TurnId: Self { process, number, .. } => "{process:016x}-{number}");

/// The number of this process, which no other one has.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
static NUMBERS: AtomicU64 = AtomicU64::new(1);

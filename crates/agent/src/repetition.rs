//! Counts rounds in which a call and its result are equal to those before. A call with another result is no repetition: a
//! model may look again whether something is done.

use std::collections::BTreeMap;

use callgate_tool::{Fingerprint, FingerprintHasher, Json, ToolCall, ToolResult};

/// The calls of a turn and their last results.
#[derive(Debug)]
pub(crate) struct Repetition {
    /// The number of equal rounds that is too many.
    most: usize,
    seen: BTreeMap<Fingerprint, Seen>,
}

#[derive(Debug)]
struct Seen {
    result: Fingerprint,
    n_rounds: usize,
    round: usize,
}

impl Repetition {
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), seen: BTreeMap::new() }
    }

    /// True if a call is not made any more.
    pub(crate) fn is_over(&self, call: &ToolCall) -> bool {
        self.seen.get(&key(call)).is_some_and(|seen| seen.n_rounds >= self.most)
    }

    /// Counts a result in a round; returns the number of equal rounds if it is too many.
    pub(crate) fn count(
        &mut self,
        call: &ToolCall,
        result: &ToolResult,
        round: usize,
    ) -> Option<usize> {
        let result = digest(result);
        let seen =
            self.seen.entry(key(call)).or_insert(Seen { result, n_rounds: 0, round: usize::MAX });
        if seen.result != result {
            (seen.result, seen.n_rounds) = (result, 0);
        }
        if seen.n_rounds == 0 || seen.round != round {
            (seen.n_rounds, seen.round) = (seen.n_rounds + 1, round);
        }
        (seen.n_rounds >= self.most).then_some(seen.n_rounds)
    }
}

fn key(call: &ToolCall) -> Fingerprint {
    let mut hasher = FingerprintHasher::default();
    hasher.text(&call.tool).object(&call.arguments);
    hasher.finish()
}

fn digest(result: &ToolResult) -> Fingerprint {
    let result = ToolResult { id: String::new(), ..result.clone() };
    let mut hasher = FingerprintHasher::default();
    hasher.text(Json::of(&result).text());
    hasher.finish()
}

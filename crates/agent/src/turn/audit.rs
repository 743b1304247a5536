//! The line of a turn in the audit file: at its end, or where its future is dropped before.

use callgate_policy::TurnEnd;

use super::RunningTurn;
use crate::{agent::Audited, end::End};

impl RunningTurn<'_> {
    /// Records the end of the turn.
    pub(super) async fn record_end(&mut self, end: &End) {
        self.is_begun = false;
        if let Some(audited) = &self.agent.audited {
            audited.audit.record_turn_end(&self.audit_line(audited, end.reason.as_str())).await;
        }
    }

    fn audit_line<'s>(&'s self, audited: &'s Audited, end: &'s str) -> TurnEnd<'s> {
        TurnEnd {
            id: self.id,
            agent: &audited.name,
            principal: self.context.principal(),
            session: &self.context.session,
            end,
            n_rounds: self.n_rounds,
            n_calls: self.n_calls,
            input_tokens: self.usage.input,
            output_tokens: self.usage.output,
            is_estimated: self.is_estimated,
            elapsed: self.since.elapsed(),
        }
    }
}

/// A turn that nobody waits for any more, or that could not go on, has a line too.
impl Drop for RunningTurn<'_> {
    fn drop(&mut self) {
        if let (true, Some(audited)) = (self.is_begun, &self.agent.audited) {
            audited.audit.record_turn_end_later(&self.audit_line(audited, "dropped"));
        }
    }
}

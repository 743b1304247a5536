//! The end of a turn for operators: metrics by agent, and a record of the log, at `warn` where somebody may have to do
//! something. Neither has a word of the conversation; the reason of such an end may have the provider's own.

use callgate_agent::{End, EndReason, describe_model_duration, describe_model_metrics};
use callgate_config::Built;
use callgate_executor::TraceContext;
use callgate_tool::{Principal, escape_invisible_in_line};
use metrics::{counter, describe_counter};
use tokio::time::Instant;

/// The facts about a turn that its end is reported with.
pub(crate) struct Report {
    agent: String,
    principal: Option<Principal>,
    trace: Option<TraceContext>,
    since: Instant,
}

/// Who has stopped a turn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum StoppedBy {
    Nobody,
    /// Its caller, who left, or an operator, who stops the sidecar.
    Request,
    /// The caller, who reads no events.
    UnreadEvents,
}

/// Logs a turn at a level.
macro_rules! record {
    ($level:ident, $report:ident, $end:ident $(, $detail:ident)?) => {
        let trace = $report.trace.as_ref().map(|trace| format!("{:032x}", trace.trace_id()));
        tracing::$level!(
            target: "callgate::turns",
            agent = $report.agent,
            end = $end.reason.as_str(),
            $($detail,)?
            rounds = $end.n_rounds,
            calls = $end.n_calls,
            input = $end.usage.input,
            output = $end.usage.output,
            estimated = $end.is_estimated.then_some(true),
            ms = u64::try_from($report.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            principal = $report.principal.as_ref().map(Principal::id),
            turn = $end.turn,
            trace,
            "turn ended"
        );
    };
}

impl Report {
    pub(crate) fn new(
        agent: &str,
        principal: Option<&Principal>,
        trace: Option<TraceContext>,
    ) -> Self {
        let (agent, principal) = (agent.to_owned(), principal.cloned());
        Self { agent, principal, trace, since: Instant::now() }
    }

    /// Counts and logs a turn that has ended. One that did not begin is a refused request, and counted as such.
    pub(crate) fn report_end(self, end: &End, stopped_by: StoppedBy) {
        self.count_end(end);
        match end_warning_detail(end.reason, end.detail.as_deref(), stopped_by) {
            None => self.log_end(end),
            Some(detail) => self.log_end_as_warning(end, &detail),
        }
    }

    fn count_end(&self, end: &End) {
        let labels = [("agent", self.agent.clone()), ("end", end.reason.as_str().to_owned())];
        counter!("callgate_turns_total", &labels).increment(1);
        for (direction, tokens) in [("input", end.usage.input), ("output", end.usage.output)] {
            let labels = [("agent", self.agent.clone()), ("direction", direction.to_owned())];
            counter!("callgate_turn_tokens_total", &labels).increment(tokens);
        }
    }

    fn log_end(self, end: &End) {
        record!(info, self, end);
    }

    fn log_end_as_warning(self, end: &End, detail: &str) {
        record!(warn, self, end, detail);
    }
}

/// The reason of an end about which somebody may have to do something, in words.
fn end_warning_detail(
    reason: EndReason,
    said: Option<&str>,
    stopped_by: StoppedBy,
) -> Option<String> {
    let is_of_concern = match reason {
        EndReason::Limit | EndReason::ModelFailed | EndReason::Repeated => true,
        // A turn that nobody stopped was cancelled because it cannot be kept, or by a program's own rules.
        EndReason::Cancelled => stopped_by != StoppedBy::Request,
        EndReason::Answered | EndReason::Refused | EndReason::Waiting => false,
    };
    let said = escape_invisible_in_line(said.unwrap_or_default());
    is_of_concern.then(|| said.chars().take(MOST_SHOWN).collect())
}

/// The most characters of a reason that are logged.
const MOST_SHOWN: usize = 400;

/// Describes the metrics of turns.
pub(crate) fn describe_turn_metrics() {
    describe_counter!("callgate_turns_total", "Turns that have ended, by agent and ending");
    describe_counter!("callgate_turn_tokens_total", "Tokens of turns, by agent and direction");
    describe_model_duration();
}

/// Makes the series of all agents before their first turn. Existing series stay.
pub(crate) fn describe_agent_metrics(built: &Built) {
    describe_model_metrics(built);
    for agent in &built.agents {
        let labels =
            [("agent", agent.name.clone()), ("end", EndReason::Answered.as_str().to_owned())];
        counter!("callgate_turns_total", &labels).increment(0);
        for direction in ["input", "output"] {
            let labels = [("agent", agent.name.clone()), ("direction", direction.to_owned())];
            counter!("callgate_turn_tokens_total", &labels).increment(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reason: EndReason, stopped_by: StoppedBy, is_warning: bool) {
        let detail = end_warning_detail(reason, Some("why\nso"), stopped_by);
        assert_eq!(detail.is_some(), is_warning, "{reason:?} {stopped_by:?}");
        assert!(detail.is_none_or(|detail| !detail.contains('\n')));
    }

    #[test]
    fn ends_that_an_operator_should_see_are_warnings() {
        check(EndReason::Answered, StoppedBy::Nobody, false);
        check(EndReason::Refused, StoppedBy::Nobody, false);
        check(EndReason::Waiting, StoppedBy::Nobody, false);
        check(EndReason::Limit, StoppedBy::Nobody, true);
        check(EndReason::ModelFailed, StoppedBy::Nobody, true);
        check(EndReason::Repeated, StoppedBy::Nobody, true);
        check(EndReason::Cancelled, StoppedBy::Request, false);
        check(EndReason::Cancelled, StoppedBy::Nobody, true);
        check(EndReason::Cancelled, StoppedBy::UnreadEvents, true);
    }

    #[test]
    fn a_long_reason_is_cut() {
        let said = "é".repeat(10_000);
        let detail = end_warning_detail(EndReason::Limit, Some(&said), StoppedBy::Nobody).unwrap();
        assert_eq!(detail.chars().count(), MOST_SHOWN);
    }
}

//! The end of a turn for operators: metrics by agent, and a record of the log. Neither has a word of the conversation.

use callgate_agent::{EndReason, Error, KeptTurn};
use callgate_config::Built;
use callgate_executor::TraceContext;
use callgate_tool::Principal;
use metrics::{counter, describe_counter};
use tokio::time::Instant;

/// The facts about a turn that its end is reported with.
pub(crate) struct Report {
    agent: String,
    principal: Option<Principal>,
    trace: Option<TraceContext>,
    since: Instant,
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

    /// Counts and logs a turn. One that did not begin is a refused request, and counted as such.
    pub(crate) fn end(self, kept: &Result<KeptTurn, Error>) {
        let Ok(KeptTurn { end, .. }) = kept else { return };
        let agent = self.agent;
        let reason = end.reason.as_str();
        counter!("callgate_turns_total", "agent" => agent.clone(), "end" => reason).increment(1);
        for (direction, tokens) in [("input", end.usage.input), ("output", end.usage.output)] {
            let labels = [("agent", agent.clone()), ("direction", direction.to_owned())];
            counter!("callgate_turn_tokens_total", &labels).increment(tokens);
        }
        let trace = self.trace.as_ref().map(|trace| format!("{:032x}", trace.trace_id()));
        tracing::info!(
            target: "callgate::turns",
            agent,
            end = reason,
            rounds = end.n_rounds,
            calls = end.n_calls,
            input = end.usage.input,
            output = end.usage.output,
            estimated = end.is_estimated.then_some(true),
            ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            principal = self.principal.as_ref().map(Principal::id),
            trace,
            "turn ended"
        );
    }
}

/// Describes the metrics of turns.
pub(crate) fn describe() {
    describe_counter!("callgate_turns_total", "Turns that have ended, by agent and ending");
    describe_counter!("callgate_turn_tokens_total", "Tokens of turns, by agent and direction");
}

/// Makes the series of all agents before their first turn. Existing series stay.
pub(crate) fn describe_agents(built: &Built) {
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

//! The numbers of calls, for whoever collects them: the facade `metrics` is told, and tells nobody unless the program around
//! callgate has a recorder. Labels are words of the configuration and of callgate, never what a caller made up.

use std::time::Duration;

use callgate_executor::Backend;
use callgate_tool::{Event, Journal, Reached};
use metrics::{counter, gauge, histogram};

/// A call that is being counted.
#[derive(Debug)]
pub(super) struct Counted {
    toolset: String,
}

impl Counted {
    /// A call begins. One of a tool that is not there is of no toolset.
    pub(super) fn begin(backend: Option<&dyn Backend>) -> Self {
        let toolset = backend.map(|backend| backend.toolset().to_owned()).unwrap_or_default();
        gauge!("callgate_calls_in_flight", "toolset" => toolset.clone()).increment(1);
        Self { toolset }
    }

    /// It has ended.
    pub(super) fn end(
        &self,
        (outcome, reached): (&'static str, Reached),
        elapsed: Duration,
        journal: &Journal,
    ) {
        let toolset = || self.toolset.clone();
        gauge!("callgate_calls_in_flight", "toolset" => toolset()).decrement(1);
        let labels = [
            ("toolset", toolset()),
            ("outcome", outcome.to_owned()),
            ("reached", reached.as_str().to_owned()),
        ];
        counter!("callgate_calls_total", &labels).increment(1);
        histogram!("callgate_call_duration_seconds", "toolset" => toolset()).record(elapsed);
        let count =
            |is: fn(&Event) -> bool| journal.events().iter().filter(|event| is(event)).count();
        let n_refreshed = count(|event| matches!(event, Event::CredentialRenewed)) as u64;
        let n_again = count(|event| matches!(event, Event::SentAgain)) as u64;
        if n_refreshed > 0 {
            counter!("callgate_token_refreshes_total", "toolset" => toolset())
                .increment(n_refreshed);
        }
        if n_refreshed + n_again > 0 {
            counter!("callgate_retries_total", "toolset" => toolset())
                .increment(n_refreshed + n_again);
        }
    }
}

/// Says what each number is, to whoever collects them. Whoever has installed a recorder asks for it once.
pub fn describe_metrics() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_counter!(
        "callgate_audit_failures_total",
        "Lines that could not be written into the audit file"
    );
    describe_gauge!(
        "callgate_breaker_state",
        "Whether a service is left alone: 0 no, 1 one call looks for it, 2 yes"
    );
    describe_histogram!("callgate_call_duration_seconds", Unit::Seconds, "How long calls take");
    describe_gauge!("callgate_calls_in_flight", "Calls that are running or waiting");
    describe_counter!("callgate_calls_total", "Calls that have ended");
    describe_gauge!("callgate_queue_length", "Calls that wait at a bound");
    describe_counter!("callgate_retries_total", "Requests that were sent once more");
    describe_counter!(
        "callgate_token_refreshes_total",
        "Credentials that were refused and renewed"
    );
}

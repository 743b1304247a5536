//! The families of metrics: each is described, and has a series of the value 0, before the first call.

use super::series::OTHER_TOOLS;
use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

/// Describes each metric to the recorder. Call it once after installing one.
pub fn describe_metrics() {
    for (name, about) in COUNTERS {
        describe_counter!(name, about);
    }
    for (name, about) in GAUGES {
        describe_gauge!(name, about);
    }
    describe_histogram!(
        "callgate_call_duration_seconds",
        Unit::Seconds,
        "The time that calls take"
    );
    for decision in ["approved", "rejected"] {
        counter!("callgate_approvals_total", "decision" => decision).increment(0);
    }
    counter!("callgate_webhook_deliveries_total", "outcome" => "delivered").increment(0);
    counter!("callgate_audit_failures_total").increment(0);
    for failure in ["full", "refused", "unanswered", "unavailable"] {
        counter!("callgate_state_failures_total", "failure" => failure).increment(0);
    }
    gauge!("callgate_queue_length").increment(0);
    gauge!("callgate_state_up").set(1.0);
}

/// Makes the series of a toolset's calls before its first call, so that a dashboard finds them. Existing series stay.
pub fn create_toolset_series(name: &str) {
    let toolset = || name.to_owned();
    counter!("callgate_calls_total", "toolset" => toolset(), "outcome" => "answered", "reached" => "yes").increment(0);
    counter!("callgate_tool_calls_total", "toolset" => toolset(), "tool" => OTHER_TOOLS, "effect" => "read", "outcome" => "answered").increment(0);
    counter!("callgate_service_responses_total", "toolset" => toolset(), "status" => "200")
        .increment(0);
    counter!("callgate_token_refreshes_total", "toolset" => toolset()).increment(0);
    counter!("callgate_retries_total", "toolset" => toolset()).increment(0);
    gauge!("callgate_calls_in_flight", "toolset" => toolset()).increment(0);
    gauge!("callgate_breaker_state", "toolset" => toolset()).increment(0);
    drop(histogram!("callgate_call_duration_seconds", "toolset" => toolset()));
}

const COUNTERS: [(&str, &str); 9] = [
    ("callgate_approvals_total", "Calls that a person was asked about, by decision"),
    ("callgate_audit_failures_total", "Lines that could not be written into the audit file"),
    (
        "callgate_calls_total",
        "Calls that have ended, by outcome and by whether they reached the service",
    ),
    ("callgate_retries_total", "Requests that were sent once more"),
    ("callgate_service_responses_total", "Responses of services, by status"),
    ("callgate_state_failures_total", "Requests that the store of state did not serve, by failure"),
    ("callgate_token_refreshes_total", "Credentials that were refused and renewed"),
    ("callgate_tool_calls_total", "Calls that have ended, by tool, effect and outcome"),
    ("callgate_webhook_deliveries_total", "Notices to the webhook of approvals, by outcome"),
];

const GAUGES: [(&str, &str); 4] = [
    (
        "callgate_breaker_state",
        "Whether a service is left alone: 0 no, 1 one call looks for it, 2 yes",
    ),
    ("callgate_calls_in_flight", "Calls that are running or waiting"),
    ("callgate_queue_length", "Calls that wait at a bound"),
    ("callgate_state_up", "0 while the store of state is away"),
];

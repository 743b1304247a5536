//! The time of requests to models as a metric, by the conventions of OpenTelemetry for generative AI:
//! `gen_ai.client.operation.duration`, in the names of Prometheus. No label has a value of a caller.

use std::time::Duration;

use metrics::{Histogram, Unit, describe_histogram, histogram};

use super::Model;

/// The name of the metric, and the bounds of its buckets in seconds, by the conventions.
#[doc(hidden)]
pub const MODEL_DURATION: (&str, &[f64]) = (
    NAME,
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
);

/// Describes the metric to the recorder.
#[doc(hidden)]
pub fn describe_model_duration() {
    describe_histogram!(NAME, Unit::Seconds, "The time that requests to models take, each attempt");
}

impl Model {
    /// Makes the series of the model before its first request.
    pub(crate) fn describe_metric_series(&self) {
        drop([None, Some("_OTHER")].map(|failure| self.duration_histogram(failure)));
    }

    /// Records the time of one attempt, and the kind of its failure.
    pub(super) fn record_duration(&self, time: Duration, failure: Option<&'static str>) {
        self.duration_histogram(failure).record(time.as_secs_f64());
    }

    fn duration_histogram(&self, failure: Option<&'static str>) -> Histogram {
        let mut labels = vec![
            ("gen_ai_operation_name", "chat".to_owned()),
            ("gen_ai_provider_name", self.wire.provider.to_owned()),
            ("gen_ai_request_model", self.name().to_owned()),
        ];
        labels.extend(failure.map(|failure| ("error_type", failure.to_owned())));
        histogram!(NAME, &labels)
    }
}

const NAME: &str = "gen_ai_client_operation_duration_seconds";

//! Metrics of a sidecar for Prometheus. They go through the facade of the crate `metrics`, so that a program that embeds
//! callgate keeps its own recorder; the sidecar installs this one. No value that a caller makes up becomes a label, and the
//! number of series is limited as well.

mod bounded_recorder;

use std::sync::OnceLock;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use callgate_config::{Built, OpenedSource};
use callgate_secret::SCHEMES;
use callgate_session::{Key, Owner, Space};
use callgate_tool::Session;
use http::{HeaderValue, header};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::time::Instant;

use self::bounded_recorder::BoundedRecorder;
use crate::{
    caller::Caller,
    gateway::Gateway,
    observe::unknown_calls,
    problem::{Problem, ProblemKind},
    reloads::End,
};

static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();

/// Starts to record the metrics of this process. If the program has its own recorder, that one stays.
pub(crate) fn install_recorder() {
    let duration = Matcher::Suffix("_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(duration, &SECONDS);
    let Ok(builder) = builder.and_then(with_model_buckets) else { return };
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    let histogram = MOST_BUCKETS + AROUND_BUCKETS;
    if metrics::set_global_recorder(BoundedRecorder::new(recorder, histogram)).is_ok() {
        HANDLE.get_or_init(|| handle);
        describe_metrics();
    }
}

/// Gives the durations of models their buckets.
fn with_model_buckets(builder: PrometheusBuilder) -> Result<PrometheusBuilder, BuildError> {
    #[cfg(feature = "agents")]
    let builder = {
        let (name, buckets) = callgate_agent::MODEL_DURATION;
        builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)?
    };
    Ok(builder)
}

/// Shows the numbers of this process.
#[utoipa::path(
    get, path = "/metrics",
    operation_id = "showMetrics", tag = "operation",
    responses(
        (status = 200, description = "Numbers in the text format of Prometheus", body = String, content_type = "text/plain"),
        (status = 404, description = "Numbers are not shown here: they are by the listeners of `admin`"),
    ),
)]
pub(crate) async fn show(
    State(gateway): State<Gateway>,
    caller: Caller,
) -> Result<Response, Problem> {
    let handle = HANDLE.get().ok_or_else(|| {
        let detail = "this sidecar is part of a program that shows its numbers itself";
        Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
    })?;
    if does_state_answer(&gateway).await
        && let Some(number) = gateway.sessions().n_sessions().await
    {
        #[expect(clippy::cast_precision_loss, reason = "nobody counts sessions that exactly")]
        metrics::gauge!("callgate_sessions").set(number as f64);
    }
    let text = handle.render();
    let mut response = metrics_visible_to(&caller, text).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EXPOSITION));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Asks the store, if there is one. Nobody may use it for long: the number of now says whether it answers.
async fn does_state_answer(gateway: &Gateway) -> bool {
    let built = gateway.current_build();
    let Some(state) = built.state_store() else { return true };
    let key = Key::new(Space::Session, Owner::new(None, &Session::default()), "");
    state.get(&key, Instant::now().into_std()).await.is_ok()
}

/// The numbers that a caller may see: a principal of some toolsets sees theirs alone.
fn metrics_visible_to(caller: &Caller, text: String) -> String {
    if caller.is_admin || caller.toolsets.is_none() {
        return text;
    }
    let is_shown = |line: &&str| {
        let name = line.split_once("toolset=\"").and_then(|(_, rest)| rest.split('"').next());
        name.is_some_and(|name| !line.starts_with('#') && caller.may_use(name))
    };
    text.lines().filter(is_shown).map(|line| format!("{line}\n")).collect()
}

/// Frees memory: histograms grow until they are rendered.
pub(crate) fn run_histogram_upkeep() {
    if let Some(handle) = HANDLE.get() {
        handle.run_upkeep();
    }
}

pub(crate) fn set_build_metrics(built: &Built, is_current: bool) {
    metrics::gauge!("callgate_configuration_digest").set(f64::from(built.digest().number()));
    metrics::gauge!("callgate_configuration_current").set(f64::from(u8::from(is_current)));
    #[expect(clippy::cast_precision_loss, reason = "nobody counts calls that exactly")]
    metrics::gauge!("callgate_audit_unknown_calls")
        .set(unknown_calls::unfinished_calls(built).len() as f64);
    #[cfg(feature = "agents")]
    crate::observe::turn_report::describe_agent_metrics(built);
    for toolset in &built.toolsets {
        callgate_policy::create_toolset_series(&toolset.name);
        let is_up = f64::from(u8::from(toolset.failure().is_none()));
        metrics::gauge!("callgate_toolset_up", "toolset" => toolset.name.clone()).set(is_up);
    }
    for source in &built.sources {
        callgate_policy::create_toolset_series(&source.name);
        let is_up = f64::from(u8::from(source.failure.is_none()));
        metrics::gauge!("callgate_toolset_up", "toolset" => source.name.clone()).set(is_up);
    }
}

/// Reports the size of a source with documents, and the number of its findings.
pub(crate) fn set_document_metrics(source: &OpenedSource) {
    let Some(followed) = &source.followed else { return };
    let (name, n_documents) = (&source.name, followed.index_counts().documents);
    callgate_policy::create_toolset_series(name);
    let n_findings = followed.findings().len();
    for (metric, number) in
        [("callgate_documents", n_documents), ("callgate_documents_findings", n_findings)]
    {
        #[expect(clippy::cast_precision_loss, reason = "nobody has that many documents")]
        metrics::gauge!(metric, "toolset" => name.clone()).set(number as f64);
    }
}

/// Reports the sidecars on the store, this one among them, by whether they serve the same configuration.
pub(crate) fn set_replica_metrics(n_same: usize, n_different: usize) {
    for (configuration, number) in [("same", n_same), ("different", n_different)] {
        #[expect(clippy::cast_precision_loss, reason = "nobody runs that many sidecars")]
        metrics::gauge!("callgate_replicas", "configuration" => configuration).set(number as f64);
    }
}

/// Describes the metrics outside `policy`, which describes its own. Each family has a series from the start.
fn describe_metrics() {
    callgate_policy::describe_metrics();
    #[cfg(feature = "agents")]
    crate::observe::turn_report::describe_turn_metrics();
    for (name, about) in COUNTERS {
        metrics::describe_counter!(name, about);
    }
    for (name, about) in GAUGES {
        metrics::describe_gauge!(name, about);
    }
    metrics::gauge!("callgate_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    set_replica_metrics(1, 0);
    for outcome in ["issued", "failed"] {
        metrics::counter!("callgate_token_requests_total", "outcome" => outcome).increment(0);
    }
    for store in SCHEMES.iter().filter(|scheme| scheme.is_remote) {
        for outcome in ["given", "failed"] {
            let labels = [("store", store.name), ("outcome", outcome)];
            metrics::counter!("callgate_secret_reads_total", &labels).increment(0);
        }
    }
    for outcome in End::NAMES {
        metrics::counter!("callgate_reloads_total", "outcome" => outcome).increment(0);
    }
    for kind in ProblemKind::OF_ACCESS {
        kind.count_refused(0);
    }
}

const COUNTERS: [(&str, &str); 4] = [
    ("callgate_reloads_total", "Reloads, by whether the new configuration took the place"),
    ("callgate_requests_refused_total", "Requests that were refused before a call, by problem"),
    ("callgate_secret_reads_total", "Reads of stores of secrets, by store and outcome"),
    ("callgate_token_requests_total", "Requests to token endpoints, by outcome"),
];

const GAUGES: [(&str, &str); 9] = [
    ("callgate_audit_unknown_calls", "Calls of an earlier process that may have been executed"),
    ("callgate_build_info", "The version that runs"),
    ("callgate_configuration_current", "0 while the last good configuration stays"),
    ("callgate_configuration_digest", "The digest of the configuration, as a number"),
    ("callgate_documents", "Documents that a toolset's search finds"),
    ("callgate_documents_findings", "Files of documents that are left out or cannot be read"),
    (
        "callgate_replicas",
        "Sidecars on the shared store, by whether their configuration is this one",
    ),
    ("callgate_sessions", "Sessions that callers store; in a shared store, those of all sidecars"),
    ("callgate_toolset_up", "0 for a toolset whose description cannot be had"),
];

/// From a nearby service to one that almost times out.
const SECONDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// The buckets of the finest histogram, that of models.
const MOST_BUCKETS: usize = 14;

/// The series of a histogram besides its buckets: the infinite bucket, the sum, the count.
const AROUND_BUCKETS: usize = 3;

const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

#[cfg(test)]
mod tests;

//! Spans for a collector: OTLP over HTTP, sent by our own transport, in a build with the feature `otel`. A request belongs
//! to its caller's trace, and passes the trace on with its own step.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_config::{Built, Examined, Subject, TelemetryConfig};
use callgate_executor::TraceContext;
use callgate_secret::{LocalStores, SecretStore};
use callgate_transport::{Client, Limits, Transport};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};
use opentelemetry::{
    Context, KeyValue, SpanId, TraceFlags, TraceId,
    trace::{SpanContext, TraceContextExt, TraceState, TracerProvider as _},
};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tokio::runtime::Handle;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

pub(super) async fn collector_headers(
    config: &TelemetryConfig,
    secrets: &dyn SecretStore,
) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, reference) in &config.headers {
        let at = |why: String| format!("`telemetry.headers.{name}`: {why}");
        let secret = secrets.get(reference).await.map_err(|error| at(error.to_string()))?;
        let wrong = |_| at("expected the text of a header".to_owned());
        let mut value = HeaderValue::from_str(secret.expose()).map_err(wrong)?;
        value.set_sensitive(true);
        let wrong = |_| at("expected the name of a header".to_owned());
        headers.insert(HeaderName::try_from(name).map_err(wrong)?, value);
    }
    Ok(headers)
}

/// Sends the collector a message without spans, if there is one.
pub(crate) async fn check_collector(built: &Built) -> Option<Examined> {
    let collector = built.telemetry.otlp.as_ref()?;
    let endpoint = spans_endpoint(collector);
    let mut shown = collector.clone();
    // Both may be confidential.
    shown.set_query(None);
    shown.set_username("").ok();
    shown.set_password(None).ok();
    let subject = Subject::Collector(self::spans_endpoint(&shown));
    Some(callgate_config::examine_subject(subject, send_empty_export(built, &endpoint)).await)
}

async fn send_empty_export(built: &Built, endpoint: &str) -> Result<String, String> {
    let secrets = LocalStores::new(&built.base);
    let headers = collector_headers(&built.telemetry, &secrets).await?;
    let client = Client::new().map_err(|error| error.to_string())?;
    let request = Request::post(endpoint).header(header::CONTENT_TYPE, "application/x-protobuf");
    // A message of protobuf without a field is no byte.
    let mut request = request.body(Bytes::new()).map_err(|error| error.to_string())?;
    request.headers_mut().extend(headers);
    let sent = client.send(request, &Limits { timeout: TIMEOUT, response_bytes: MOST_ANSWERED });
    let status = sent.await.map_err(|error| error.to_string())?.status();
    if !status.is_success() {
        return Err(format!("expected a status of success, got: {status}"));
    }
    Ok(format!("status {status}"))
}

/// The provider that keeps spans until they are sent, and the layer that makes them from those of `tracing`.
pub(super) fn span_provider_and_layer<S: Subscriber + for<'a> LookupSpan<'a>>(
    config: &TelemetryConfig,
    collector: &Url,
    headers: HeaderMap,
) -> Result<(SdkTracerProvider, OpenTelemetryLayer<S, opentelemetry_sdk::trace::SdkTracer>), String>
{
    let client = Client::new().map_err(|error| error.to_string())?;
    let sender = Sender { client, headers, runtime: Handle::current() };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(sender)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(spans_endpoint(collector))
        .build();
    let exporter = exporter.map_err(|error| error.to_string())?;
    let service = config.service.clone().unwrap_or_else(|| SERVICE.to_owned());
    let resource = Resource::builder_empty()
        .with_service_name(service)
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", instance_id()))
        .build();
    let provider =
        SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let tracer = provider.tracer(SERVICE);
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false);
    Ok((provider, layer))
}

/// A name of this process among those of one service. Zeros where the system gives no random bytes.
fn instance_id() -> String {
    let mut name = [0; 16];
    getrandom::fill(&mut name).unwrap_or_default();
    format!("{:032x}", u128::from_be_bytes(name))
}

/// Makes a span a step in its caller's trace.
pub(super) fn set_parent(span: &Span, trace: &TraceContext) {
    let flags = if trace.is_sampled() { TraceFlags::SAMPLED } else { TraceFlags::default() };
    let (id, parent) = (TraceId::from(trace.trace_id()), SpanId::from(trace.parent_id()));
    let caller = SpanContext::new(id, parent, flags, true, TraceState::default());
    // Fails for a span that is not kept.
    span.set_parent(Context::new().with_remote_span_context(caller)).ok();
}

/// The step of the span around, if spans are sent.
pub(super) fn current_trace() -> Option<TraceContext> {
    let context = Span::current().context();
    let span = context.span();
    let span = span.span_context();
    let trace = u128::from_be_bytes(span.trace_id().to_bytes());
    let step = u64::from_be_bytes(span.span_id().to_bytes());
    TraceContext::from_ids(trace, step, span.trace_flags().to_u8())
}

/// Sends spans over our transport. The calling thread belongs to the exporter and has no runtime.
#[derive(Debug)]
struct Sender {
    client: Client,
    /// The operator's headers; they may be secrets.
    headers: HeaderMap,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        request.headers_mut().extend(self.headers.clone());
        let client = self.client.clone();
        let limits = Limits { timeout: TIMEOUT, response_bytes: MOST_ANSWERED };
        let sent = self.runtime.spawn(async move { client.send(request, &limits).await });
        Ok(sent.await??)
    }
}

/// The collector's URL for spans (OTLP §OTLP/HTTP Request), with the path added unless it is there.
fn spans_endpoint(collector: &Url) -> String {
    let text = collector.as_str().trim_end_matches('/');
    if text.ends_with(PATH) { text.to_owned() } else { format!("{text}{PATH}") }
}

const SERVICE: &str = "callgate";
const PATH: &str = "/v1/traces";
const TIMEOUT: Duration = Duration::from_secs(10);
const MOST_ANSWERED: usize = 64 << 10;

//! The log of a sidecar: one record on each line, as text for people or as JSON, with its spans. Control characters are
//! escaped, so that nobody can forge a line. Libraries log from `warn` up unless a filter names them.

mod lines;
mod record;

use std::{sync::Arc, time::SystemTime};

use callgate_config::{Config, LogConfig, LogFormat, LogLevel};
use callgate_tool::{Object, Value, escape_invisible_in_line};
use tracing::{Event, Level, Subscriber, level_filters::LevelFilter, span};
use tracing_subscriber::{
    Layer,
    filter::Targets,
    layer::{Context, SubscriberExt},
    registry::{LookupSpan, Scope},
};

pub use self::lines::WriteLine;
use self::{
    lines::{LineThread, Lines, Urgency},
    record::{EventFields, Fields, Record},
};

/// The log and the traces of a process. Dropping it writes the pending lines and sends the pending spans; drop it outside of
/// a runtime's threads.
#[derive(Debug, Default)]
pub struct Telemetry {
    _lines: Option<LineThread>,
    #[cfg(feature = "otel")]
    spans: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        #[cfg(feature = "otel")]
        if let Some(spans) = &self.spans {
            // Spans that cannot be sent are lost.
            spans.shutdown().ok();
        }
    }
}

/// Starts to write records of these levels and to send spans. If the program has its own subscriber, that one stays.
///
/// # Errors
/// Describes the problem with `telemetry:` and its remedy.
pub async fn start_log(
    config: &Config,
    levels: &LogConfig,
    write: WriteLine,
) -> Result<Telemetry, String> {
    let lines = Arc::new(Lines::new(levels.format, write));
    let registry = log_subscriber(levels, Arc::clone(&lines));
    #[cfg(feature = "otel")]
    if let Some(collector) = &config.telemetry.otlp {
        let secrets = callgate_secret::LocalStores::new(&config.base);
        let headers = super::otel::collector_headers(&config.telemetry, &secrets).await?;
        let (spans, layer) =
            super::otel::span_provider_and_layer(&config.telemetry, collector, headers)?;
        let ours = Targets::new()
            .with_target("callgate", LevelFilter::DEBUG)
            .with_target(CALLS, LevelFilter::OFF)
            .with_target(REQUESTS, LevelFilter::OFF);
        let registry = registry.with(layer.with_filter(ours));
        let is_ours = tracing::subscriber::set_global_default(registry).is_ok();
        let lines = is_ours.then(|| LineThread::start(&lines)).flatten();
        return Ok(Telemetry { _lines: lines, spans: Some(spans) });
    }
    // Without the feature, the build of the configuration refuses the key.
    #[cfg(not(feature = "otel"))]
    let Config { .. } = config;
    let is_ours = tracing::subscriber::set_global_default(registry).is_ok();
    let lines = is_ours.then(|| LineThread::start(&lines)).flatten();
    Ok(Telemetry {
        _lines: lines,
        #[cfg(feature = "otel")]
        spans: None,
    })
}

/// Starts to write records, without sending spans.
pub fn start_plain_log(levels: &LogConfig, write: WriteLine) {
    // If the program has its own subscriber, that one stays.
    let lines = Arc::new(Lines::new(levels.format, write));
    tracing::subscriber::set_global_default(log_subscriber(levels, lines)).ok();
}

/// A record of a log in JSON, for what is written before or beside the log.
pub(crate) fn json_record(level: Level, target: &str, message: &str, fields: Object) -> String {
    let fields = Value::Object(fields).to_string();
    let inner = fields.strip_prefix('{').and_then(|fields| fields.strip_suffix('}'));
    let fields = escape_invisible_in_line(inner.unwrap_or_default());
    let record =
        Record { at: SystemTime::now(), level, target, message, fields: &fields, spans: &[] };
    record.log_line(LogFormat::Json)
}

/// The log of a test's own thread.
#[cfg(test)]
pub(crate) fn test_log(levels: &LogConfig, write: WriteLine) -> impl Subscriber + use<> {
    log_subscriber(levels, Arc::new(Lines::new(levels.format, write)))
}

fn log_subscriber(
    config: &LogConfig,
    lines: Arc<Lines>,
) -> impl Subscriber + for<'a> LookupSpan<'a> + use<> {
    let records = Records(lines);
    tracing_subscriber::registry().with(records.with_filter(log_targets(config)))
}

fn log_targets(config: &LogConfig) -> Targets {
    let usual = level_filter(config.level);
    let targets =
        Targets::new().with_default(usual.min(LevelFilter::WARN)).with_target("callgate", usual);
    let off = [(CALLS, config.calls), (REQUESTS, config.requests)];
    let off = off.into_iter().filter(|(_, is_on)| !is_on);
    let targets =
        off.fold(targets, |targets, (name, _)| targets.with_target(name, LevelFilter::OFF));
    let modules = config.modules.iter();
    modules.fold(targets, |targets, (name, own)| targets.with_target(name, level_filter(*own)))
}

fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Trace => LevelFilter::TRACE,
        LogLevel::Warn => LevelFilter::WARN,
    }
}

struct Records(Arc<Lines>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Records {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::new();
        attributes.record(&mut fields);
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = EventFields::new(self.0.format);
        event.record(&mut fields);
        let mut spans = Vec::new();
        for span in context.event_scope(event).into_iter().flat_map(Scope::from_root) {
            let span_fields = span.extensions().get::<Fields>().cloned().unwrap_or_default();
            spans.push((span.name(), span_fields));
        }
        let target = event.metadata().target();
        let record = Record {
            at: SystemTime::now(),
            level: *event.metadata().level(),
            target,
            message: &fields.message,
            fields: &fields.others,
            spans: &spans,
        };
        let is_usual = matches!(target, CALLS | REQUESTS);
        let urgency = if is_usual { Urgency::Later } else { Urgency::Now };
        self.0.add_line(&record.log_line(self.0.format), urgency);
    }
}

/// The target of records about ended calls, which `policy` writes.
const CALLS: &str = "callgate::calls";
/// The target of records about ended requests.
pub(super) const REQUESTS: &str = "callgate::requests";

#[cfg(test)]
mod tests;

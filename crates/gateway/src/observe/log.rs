//! The log of a sidecar: one record on each line, as text for people or as JSON, with its spans. Control characters are
//! escaped, so that nobody can forge a line. Libraries log from `warn` up unless a filter names them.

mod record;

use std::time::SystemTime;

use callgate_config::{Config, LogConfig, LogFormat, LogLevel};
use tracing::{Event, Subscriber, level_filters::LevelFilter, span};
use tracing_subscriber::{
    Layer,
    filter::Targets,
    layer::{Context, SubscriberExt},
    registry::{LookupSpan, Scope},
};

use self::record::{Fields, Record};

/// Writes lines of a log.
pub type WriteLine = Box<dyn Fn(&str) + Send + Sync>;

/// The log and the traces of a process. Dropping it sends the pending spans; drop it outside of a runtime's threads.
#[derive(Debug, Default)]
pub struct Telemetry {
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
    let registry = subscriber(levels, write);
    #[cfg(feature = "otel")]
    if let Some(collector) = &config.telemetry.otlp {
        let headers = headers(config).await?;
        let (spans, layer) = super::otel::spans(&config.telemetry, collector, headers)?;
        let ours = Targets::new().with_target("callgate", LevelFilter::DEBUG);
        let registry = registry.with(layer.with_filter(ours));
        tracing::subscriber::set_global_default(registry).ok();
        return Ok(Telemetry { spans: Some(spans) });
    }
    // Without the feature, the build of the configuration refuses the key.
    #[cfg(not(feature = "otel"))]
    let Config { .. } = config;
    tracing::subscriber::set_global_default(registry).ok();
    Ok(Telemetry::default())
}

/// Starts to write records, without sending spans.
pub fn start_plain_log(levels: &LogConfig, write: WriteLine) {
    // If the program has its own subscriber, that one stays.
    tracing::subscriber::set_global_default(subscriber(levels, write)).ok();
}

/// The operator's headers for requests to the collector.
#[cfg(feature = "otel")]
async fn headers(config: &Config) -> Result<http::HeaderMap, String> {
    use callgate_secret::{LocalStores, SecretStore};

    let secrets = LocalStores::new(&config.base);
    let mut headers = http::HeaderMap::new();
    for (name, reference) in &config.telemetry.headers {
        let at = |why: String| format!("`telemetry.headers.{name}`: {why}");
        let secret = secrets.get(reference).await.map_err(|error| at(error.to_string()))?;
        let wrong = |_| at("expected the text of a header".to_owned());
        let mut value = http::HeaderValue::from_str(secret.expose()).map_err(wrong)?;
        value.set_sensitive(true);
        let wrong = |_| at("expected the name of a header".to_owned());
        headers.insert(http::HeaderName::try_from(name).map_err(wrong)?, value);
    }
    Ok(headers)
}

fn subscriber(
    config: &LogConfig,
    write: WriteLine,
) -> impl Subscriber + for<'a> LookupSpan<'a> + use<> {
    let records = Records { format: config.format, write };
    tracing_subscriber::registry().with(records.with_filter(targets(config)))
}

/// The levels of records that are written.
fn targets(config: &LogConfig) -> Targets {
    let usual = level(config.level);
    let targets =
        Targets::new().with_default(usual.min(LevelFilter::WARN)).with_target("callgate", usual);
    let modules = config.modules.iter();
    modules.fold(targets, |targets, (name, own)| targets.with_target(name, level(*own)))
}

fn level(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Trace => LevelFilter::TRACE,
        LogLevel::Warn => LevelFilter::WARN,
    }
}

struct Records {
    format: LogFormat,
    write: WriteLine,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Records {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
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
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut spans = Vec::new();
        for span in context.event_scope(event).into_iter().flat_map(Scope::from_root) {
            let known = span.extensions().get::<Fields>().cloned().unwrap_or_default();
            spans.push((span.name(), known));
        }
        let record = Record { at: SystemTime::now(), metadata: event.metadata(), fields, spans };
        (self.write)(&match self.format {
            LogFormat::Json => record.json(),
            LogFormat::Text => record.text(),
        });
    }
}

#[cfg(test)]
mod tests;

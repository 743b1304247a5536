//! The keys `reload:`, `log:` and `telemetry:`: the reaction of a running sidecar to changed files, and its reports
//! about itself. They are values here; the gateway and the command act on them.

use std::{collections::BTreeMap, error, fmt, time::Duration};

use callgate_secret::SecretReference;
use url::Url;

use crate::{
    code::ConfigCode,
    keys::{LOG, RELOAD, TELEMETRY},
    reader::{Mapping, Reader, at, secret::secret},
};

/// The way a sidecar reacts to changes of its files.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ReloadConfig {
    /// True if a change of a file causes a reload; otherwise only a signal or a request does.
    pub watch: bool,
    /// The interval at which descriptions at addresses are requested again.
    pub interval: Duration,
}

impl Default for ReloadConfig {
    fn default() -> Self {
        Self { watch: true, interval: Duration::from_mins(5) }
    }
}

/// The log on standard error.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct LogConfig {
    /// The format of a record.
    pub format: LogFormat,
    /// The level of modules that are not named.
    pub level: LogLevel,
    /// The level of single modules, by the prefix of their paths: `callgate_gateway`.
    pub modules: BTreeMap<String, LogLevel>,
}

impl LogConfig {
    /// Replaces the levels by those of a filter: one for all modules, and others by the prefix of a module's path,
    /// `warn,callgate_executor=debug`.
    ///
    /// # Errors
    /// [`NotAFilter`] with the first invalid part.
    pub fn with_filter(mut self, filter: &str) -> Result<Self, NotAFilter> {
        for part in filter.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (module, word) = match part.split_once('=') {
                Some((module, word)) => (module.trim(), word.trim()),
                None => ("", part),
            };
            let level = LEVELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
            let (_, level) = level.ok_or_else(|| NotAFilter(part.to_owned()))?;
            match module {
                "" if part.contains('=') => return Err(NotAFilter(part.to_owned())),
                "" => self.level = *level,
                module => drop(self.modules.insert(module.to_owned(), *level)),
            }
        }
        Ok(self)
    }
}

/// A text that is not a log filter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NotAFilter(String);

impl fmt::Display for NotAFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected a level (`off`, `error`, `warn`, `info`, `debug`, `trace`) or `MODULE=LEVEL`",
        )?;
        write!(f, ", got: `{}`", self.0)
    }
}

impl error::Error for NotAFilter {}

/// The format of a record.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes records must handle a new format")]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    /// A line for people.
    #[default]
    Text,
}

/// The least important records that are written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the levels of `tracing`, and none")]
pub enum LogLevel {
    /// Details for developers of callgate.
    Debug,
    /// Failures.
    Error,
    /// Events: starts, reloads, ends.
    #[default]
    Info,
    /// No records.
    Off,
    /// All records.
    Trace,
    /// Faults that may need attention.
    Warn,
}

impl LogLevel {
    /// The word for the level in a configuration.
    pub fn as_str(self) -> &'static str {
        let word = LEVELS.iter().find(|(_, level)| *level == self);
        word.map_or("info", |(word, _)| word)
    }
}

/// The collector of traces.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct TelemetryConfig {
    /// The collector that accepts spans by OTLP over HTTP: `http://127.0.0.1:4318`.
    pub otlp: Option<Url>,
    /// The headers of every request to the collector.
    pub headers: BTreeMap<String, SecretReference>,
    /// The name of the sidecar in traces; the default is `callgate`.
    pub service: Option<String>,
}

/// Reads `reload:`.
pub(crate) fn reload(reader: &mut Reader, root: Mapping<'_>) -> ReloadConfig {
    let usual = ReloadConfig::default();
    let Some(node) = root.object.get("reload") else { return usual };
    let pointer = at(root, "reload");
    let Some(mapping) = reader.mapping(node, &pointer, &RELOAD) else { return usual };
    ReloadConfig {
        watch: reader.boolean(mapping, "watch").unwrap_or(usual.watch),
        interval: reader.duration(mapping, "interval").unwrap_or(usual.interval),
    }
}

/// Reads `log:`.
pub(crate) fn log(reader: &mut Reader, root: Mapping<'_>) -> LogConfig {
    let usual = LogConfig::default();
    let Some(node) = root.object.get("log") else { return usual };
    let pointer = at(root, "log");
    let Some(mapping) = reader.mapping(node, &pointer, &LOG) else { return usual };
    LogConfig {
        format: reader.word(mapping, "format", &FORMATS).unwrap_or_default(),
        level: reader.word(mapping, "level", &LEVELS).unwrap_or_default(),
        modules: modules(reader, mapping),
    }
}

fn modules(reader: &mut Reader, mapping: Mapping<'_>) -> BTreeMap<String, LogLevel> {
    let Some(node) = mapping.object.get("modules") else { return BTreeMap::new() };
    let pointer = at(mapping, "modules");
    let Some(object) = node.as_object() else {
        reader.expected(&pointer, "levels by modules", node, "`{callgate_gateway: debug}`");
        return BTreeMap::new();
    };
    let levels = Mapping { object, pointer: &pointer };
    let names = object.iter().map(|(name, _)| &**name);
    let level = |name: &str| Some((name.to_owned(), reader.word(levels, name, &LEVELS)?));
    names.filter_map(level).collect()
}

/// Reads `telemetry:`.
pub(crate) fn telemetry(reader: &mut Reader, root: Mapping<'_>) -> TelemetryConfig {
    let Some(node) = root.object.get("telemetry") else { return TelemetryConfig::default() };
    let pointer = at(root, "telemetry");
    let Some(mapping) = reader.mapping(node, &pointer, &TELEMETRY) else {
        return TelemetryConfig::default();
    };
    TelemetryConfig {
        otlp: collector(reader, mapping),
        headers: headers(reader, mapping),
        service: reader.string(mapping, "service").map(str::to_owned),
    }
}

fn collector(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Url> {
    let text = reader.setting(mapping, "otlp")?;
    let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    if url.is_none() {
        let is_written = mapping.object.get("otlp").and_then(|node| node.as_str()) == Some(&*text);
        let scheme = Url::parse(&text).ok().filter(|_| is_written);
        let scheme = scheme.map(|url| url.scheme().to_owned());
        let got = scheme.map_or_else(|| "no URL".to_owned(), |scheme| format!("one of `{scheme}`"));
        let message = format!("expected an http or https URL, got {got}");
        let help = "for example `http://127.0.0.1:4318`";
        reader.complain(ConfigCode::WrongValue, at(mapping, "otlp"), message, help);
    }
    url
}

fn headers(reader: &mut Reader, mapping: Mapping<'_>) -> BTreeMap<String, SecretReference> {
    let Some(node) = mapping.object.get("headers") else { return BTreeMap::new() };
    let pointer = at(mapping, "headers");
    let Some(object) = node.as_object() else {
        reader.expected(&pointer, "secrets by headers", node, "`{authorization: env:OTLP}`");
        return BTreeMap::new();
    };
    let values = Mapping { object, pointer: &pointer };
    let names = object.iter().map(|(name, _)| &**name);
    let header = |name: &str| Some((name.to_owned(), secret(reader, values, name)?));
    names.filter_map(header).collect()
}

const FORMATS: [(&str, LogFormat); 2] = [("json", LogFormat::Json), ("text", LogFormat::Text)];

const LEVELS: [(&str, LogLevel); 6] = [
    ("debug", LogLevel::Debug),
    ("error", LogLevel::Error),
    ("info", LogLevel::Info),
    ("off", LogLevel::Off),
    ("trace", LogLevel::Trace),
    ("warn", LogLevel::Warn),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_takes_the_place_of_levels() {
        let usual = LogConfig { level: LogLevel::Warn, ..LogConfig::default() };
        let config = usual.clone().with_filter("info, callgate_auth=TRACE,hyper=off,").unwrap();
        assert_eq!(config.level, LogLevel::Info);
        let modules = [("callgate_auth", LogLevel::Trace), ("hyper", LogLevel::Off)];
        assert_eq!(config.modules, modules.map(|(name, level)| (name.to_owned(), level)).into());
        let config = usual.clone().with_filter("callgate_auth=debug").unwrap();
        assert_eq!(config.level, LogLevel::Warn);
        assert_eq!(usual.clone().with_filter("").unwrap(), usual);
        for text in ["loud", "=debug", "callgate=loud", "callgate_auth", "a=b=info"] {
            let error = usual.clone().with_filter(text).unwrap_err().to_string();
            assert!(error.ends_with(&format!("got: `{text}`")), "{error}");
        }
    }
}

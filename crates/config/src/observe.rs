//! The keys `reload:`, `log:` and `telemetry:`: the reaction of a running sidecar to changed files, and its reports
//! about itself. They are values here; the gateway and the command act on them.

use std::{collections::BTreeMap, time::Duration};

use callgate_secret::SecretReference;
use callgate_settings::{
    Kind, Mapping, Reader, SettingCode, Words, forms, member_pointer, settings, words,
};
use url::Url;

settings! {
    /// The way a sidecar reacts to changes of its files.
    #[derive(Clone, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct ReloadConfig in "`reload`" {
        /// The interval at which descriptions at addresses are requested again; 5m unless given.
        interval: Duration = Duration::from_mins(5);
        /// True if a change of a file causes a reload; otherwise only a signal or a request does.
        watch: bool = true;
    }
}

settings! {
    /// The log on standard error.
    #[derive(Clone, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct LogConfig in "`log`" {
        /// True if each ended call is a record at `info`: its tool, outcome and time, and no value.
        calls: bool = true;
        /// The format of a record, one a line.
        format: LogFormat = LogFormat::Text;
        /// The level of modules that are not named.
        level: LogLevel = LogLevel::Info;
        /// The level of single modules, by the prefix of their paths: `callgate_gateway`.
        modules: BTreeMap<String, LogLevel> as Modules = BTreeMap::new();
        /// True if each ended HTTP request is a record at `info`: its method, path, status and time, and no value.
        requests: bool = true;
    }
}

settings! {
    /// The collector of traces.
    #[derive(Clone, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct TelemetryConfig in "`telemetry`" {
        /// The headers of every request to the collector, as references to secrets.
        headers: BTreeMap<String, SecretReference> as Headers = BTreeMap::new();
        /// The collector that accepts spans by OTLP over HTTP: `http://127.0.0.1:4318`.
        otlp: Option<Url> as Collector = None;
        /// The name of the sidecar in traces; the default is `callgate`.
        service: Option<String> as String = None;
    }
}

forms! {
    struct Collector => Url, Kind::Setting, read_collector_url;
    struct Headers => BTreeMap<String, SecretReference>, Kind::Map(&Kind::Secret), |reader, mapping, key| {
        let help = "`{authorization: env:OTLP}`";
        reader.named_values::<SecretReference, _>(mapping, key, "secrets by headers", help)
    };
    struct Modules => BTreeMap<String, LogLevel>, Kind::Map(&LogLevel::KIND), |reader, mapping, key| {
        reader.named_values::<LogLevel, _>(mapping, key, "levels by modules", "`{callgate_gateway: debug}`")
    };
}

words! { LogFormat, "leave it out for the default": "json" => Json, "text" => Text }
words! {
    LogLevel, "leave it out for the default":
    "debug" => Debug, "error" => Error, "info" => Info, "off" => Off, "trace" => Trace, "warn" => Warn
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
            let level = LogLevel::WORDS.iter().find(|(entry, _)| entry.eq_ignore_ascii_case(word));
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

callgate_secret::text!(error NotAFilter: Self(got) => "expected a level (`off`, `error`, `warn`, `info`, `debug`, `trace`) or `MODULE=LEVEL`, got: `{got}`");

/// The format of a record.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
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
        self.word()
    }
}

fn read_collector_url(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Url> {
    let text = reader.string_or_variable(mapping, key)?;
    let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    if url.is_none() {
        let is_written = mapping.object.get(key).and_then(|node| node.as_str()) == Some(&*text);
        let scheme = Url::parse(&text).ok().filter(|_| is_written);
        let scheme = scheme.map(|url| url.scheme().to_owned());
        let got = scheme.map_or_else(|| "no URL".to_owned(), |scheme| format!("one of `{scheme}`"));
        let message = format!("expected an http or https URL, got {got}");
        let help = "for example `http://127.0.0.1:4318`";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_replaces_the_configured_log_levels() {
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

//! The command's log on standard error: warnings of callgate's parts that concern the operator and no single call.
//! `CALLGATE_LOG` and `-vv` select records of other levels instead, in the form of a sidecar's log.

use std::{
    collections::BTreeSet,
    env,
    fmt::{self, Write as _},
    sync::{Mutex, PoisonError},
};

use callgate_config::LogConfig;
use callgate_gateway::start_plain_log;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
};

use crate::{exit::Failure, output};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LogReader {
    /// A person, who also sees how each call ends.
    Person,
    /// A person who wants details: `-vv`.
    Curious,
    /// The operator of a program that serves others.
    Operator,
}

/// Starts a log for this reader, or with the levels of `CALLGATE_LOG`.
pub(crate) fn start_log(reader: LogReader) -> Result<(), Failure> {
    let levels = LogConfig::default();
    if reader == LogReader::Curious || has_filter_variable() {
        let usual = if reader == LogReader::Curious { IN_DETAIL } else { USUAL };
        let levels = filtered_levels(levels, usual)?;
        start_plain_log(&overridden_levels(levels)?, Box::new(output::write_log_lines));
        return Ok(());
    }
    // Fails if there is a log already, which then does as much or more.
    tracing::subscriber::set_global_default(Warnings::new(reader)).ok();
    Ok(())
}

/// The levels of a sidecar's log, overridden by those of `CALLGATE_LOG`.
pub(crate) fn overridden_levels(configured: LogConfig) -> Result<LogConfig, Failure> {
    let Some(filter) = env::var_os(VARIABLE) else { return Ok(configured) };
    filtered_levels(configured, &filter.to_string_lossy())
}

fn has_filter_variable() -> bool {
    env::var_os(VARIABLE).is_some_and(|filter| !filter.is_empty())
}

fn filtered_levels(levels: LogConfig, filter: &str) -> Result<LogConfig, Failure> {
    levels.with_filter(filter).map_err(|error| {
        let help = "for example `CALLGATE_LOG=debug`, or `CALLGATE_LOG=warn,callgate_auth=debug`";
        Failure::with_help(&format!("`{VARIABLE}`: {error}"), help)
    })
}

const VARIABLE: &str = "CALLGATE_LOG";
/// The level of targets that a filter does not name.
const USUAL: &str = "warn";
const IN_DETAIL: &str = "debug";

/// Writes each warning on a line, to a person once. Ignores spans.
struct Warnings {
    reader: LogReader,
    told: Mutex<BTreeSet<String>>,
}

impl Warnings {
    fn new(reader: LogReader) -> Self {
        Self { reader, told: Mutex::default() }
    }

    /// Returns true for a line that its reader does not have yet. An operator sees when it happens again.
    fn is_new_to_reader(&self, line: &str) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        self.reader == LogReader::Operator || told.insert(line.to_owned())
    }

    /// Returns true if the end of a call reports it too.
    fn is_reported_at_call_end(&self, target: &str) -> bool {
        self.reader == LogReader::Person && target.starts_with("callgate_auth::token_cache")
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        let is_ours = *metadata.level() <= Level::WARN && target.starts_with("callgate");
        is_ours && !self.is_reported_at_call_end(target)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let line = format!("warning: {}{}", line.message, line.values);
        if self.is_new_to_reader(&line) {
            output::print_message_line(&line);
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Line {
    message: String,
    values: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _infallible = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            _ => write!(self.values, ": {value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_warnings_of_our_own_crates_are_logged() {
        tracing::subscriber::with_default(Warnings::new(LogReader::Person), || {
            assert!(!tracing::enabled!(target: "callgate_auth::token_cache::slot", Level::WARN));
            assert!(tracing::enabled!(target: "callgate_config::build", Level::WARN));
            assert!(!tracing::enabled!(target: "callgate_config::build", Level::INFO));
            assert!(!tracing::enabled!(target: "hyper", Level::WARN));
        });
    }

    #[test]
    fn a_person_reads_a_warning_once_and_an_operator_each_time() {
        for (reader, again) in [(LogReader::Person, false), (LogReader::Operator, true)] {
            let warnings = Warnings::new(reader);
            assert!(
                warnings.is_new_to_reader("warning: a") && warnings.is_new_to_reader("warning: b")
            );
            assert_eq!(warnings.is_new_to_reader("warning: a"), again);
        }
    }
}

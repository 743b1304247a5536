//! Warnings of callgate's own parts, on standard error: what concerns the operator and no single call. Anything less, and
//! what libraries say, is left out.

use std::fmt::{self, Write as _};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
};

use crate::output;

/// Shows warnings from now on.
pub(crate) fn start() {
    // Fails where there is one already, which then does the same or better.
    tracing::subscriber::set_global_default(Warnings).ok();
}

/// Writes each warning in a line. Knows no spans.
struct Warnings;

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with("callgate")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        output::talk(&format!("warning: {}{}\n", line.message, line.values));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A warning's text, and what it is about.
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
    fn a_warning_of_ours_is_shown_and_nothing_else() {
        let subscriber = Warnings;
        tracing::subscriber::with_default(subscriber, || {
            assert!(tracing::enabled!(target: "callgate_config::build", Level::WARN));
            assert!(!tracing::enabled!(target: "callgate_config::build", Level::INFO));
            assert!(!tracing::enabled!(target: "hyper", Level::WARN));
        });
    }
}

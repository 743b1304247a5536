//! The keys of a running sidecar's own activities: reload, log, trace.

use super::{Kind, Table, key, table, text};

/// The way a sidecar reacts to changes of its files.
pub(crate) const RELOAD: Table = table(
    "`reload`",
    &[
        key(
            "interval",
            Kind::Duration,
            "How often descriptions at addresses are asked for again; 5m unless it is said",
        ),
        key(
            "watch",
            Kind::Boolean,
            "`false` reloads on a signal or a request only, and not when a file changes",
        ),
    ],
);

/// The log on standard error.
pub(crate) const LOG: Table = table(
    "`log`",
    &[
        key("format", Kind::Choice(&["json", "text"]), "How a record is written, one a line"),
        key("level", Kind::Choice(LEVELS), "The least important records that are written"),
        key(
            "modules",
            Kind::Map(&Kind::Choice(LEVELS)),
            "Those of single modules, by the beginnings of their paths: `callgate_gateway`",
        ),
    ],
);

/// The collector of traces.
pub(crate) const TELEMETRY: Table = table(
    "`telemetry`",
    &[
        key(
            "headers",
            Kind::Map(&Kind::Secret),
            "Headers of every request to the collector, as references to secrets",
        ),
        key(
            "otlp",
            Kind::Setting,
            "The collector that takes spans by OTLP over HTTP: `http://127.0.0.1:4318`",
        ),
        text("service", "What the sidecar is called in traces; `callgate` unless it is said"),
    ],
);

const LEVELS: &[&str] = &["debug", "error", "info", "off", "trace", "warn"];

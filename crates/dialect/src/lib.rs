//! Foreign wire formats: declarations of tools, calls and results, with one file per format. Pure functions between
//! `tool`'s words and JSON; nothing here makes calls.

mod deferral;
mod dialect;
mod ending;
mod envelope;
mod foreign;
mod form;
mod format;
mod forms;
mod limits;
mod message;
mod projection;
mod strict;
mod wording;

pub use dialect::{Dialect, UnknownDialect, json_result};
pub use envelope::{EnvelopeError, check_distinct_ignoring_case, read_call, read_session};
pub use form::{Form, UnknownForm};
pub use limits::{
    LimitFinder, ProviderLimit, exceeded_request_limits, exceeded_strict_limits,
    exceeded_tool_limits, is_union,
};
pub use message::{ReadCall, ReadMessage};
pub use projection::{Loss, Lost, Projected, Projection, UnknownProjection, project, restore};
pub use strict::read_json;

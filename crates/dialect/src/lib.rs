//! Foreign wire formats: how tools are declared and how results are written, one file a format. Pure functions from
//! `tool`'s words to JSON; nothing here calls anything.

mod dialect;
mod envelope;
mod json;
mod limits;
mod openai;
mod strict;

pub use dialect::{Dialect, UnknownDialect};
pub use envelope::{EnvelopeError, read_call, read_session};
pub use json::result as json_result;
pub use limits::{LimitFinder, ProviderLimit, request_limits, tool_limits};
pub use strict::{JsonError, read_json};

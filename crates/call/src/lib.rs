//! Turns arguments and a session into a request, and a response into an outcome. Pure: no I/O, no clock, no environment.
//! `openapi` says what an operation needs; `auth` adds credentials to the finished request.
//!
#![doc = include_str!("open-cases.md")]

mod arguments;
mod binding;
mod body;
mod body_arguments;
mod check;
mod cookie;
mod cut;
mod echo;
mod header;
mod html;
mod inputs;
mod json_text;
mod keys;
mod lists;
mod omission;
mod operator_values;
mod page;
mod parameter;
mod path;
mod plain;
mod plan;
mod query;
mod querystring;
mod quoted_json;
mod request;
mod response;
mod sanitize;
mod select;
mod shape;
mod show;
mod stored_results;
mod style;
pub mod wording;

pub use arguments::{ArgumentCheck, OutputCheck};
#[doc(hidden)]
pub use body::file_from_value;
pub use check::{Evaluated, Evaluator, Verdict};
pub use operator_values::{edit_faults, faults_of_examples};
pub use plan::Plan;
pub use response::{
    ReadContext, SplitValue, Splitter, Understood, Unfinished, WholePart, masked_filename,
    retry_after, retry_delay, retry_delay_in_body,
};
pub use select::{Paths, Selection};
pub use shape::{BigIntegers, DEFAULT_MEDIA_BYTES, DEFAULT_RESULT_BYTES, Shape, ShownHeaders};
pub use show::{Masked, MaskedHeader, planned_request};
pub use stored_results::StoredResults;

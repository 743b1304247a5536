//! Turns the bytes of a description into one tree of nodes, within limits. JSON goes to the JSON reader, everything
//! else to the YAML reader. The module knows nothing of OpenAPI, so the configuration is read by it too.

mod core_schema;
mod encoding;
mod fault;
mod intern;
mod json;
mod member;
mod members;
mod scan;
mod targets;
mod text_cache;
mod yaml;

use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::node::Node;
use fault::Fault;

pub(crate) use encoding::decode;
pub use intern::Interner;
pub(crate) use scan::find_positions;
pub(crate) use targets::WantedPointers;
pub(crate) use yaml::{Scalar, depth_limited_parser, position as marked};

/// A value and the findings made while it was read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// The findings that did not prevent reading the value.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads YAML 1.2 or JSON: UTF-8, or UTF-16 with a byte order mark.
///
/// ```
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"responses:\n  200: { description: no, default: 1.10 }\n";
/// let read = callgate_tree::read(text, &Default::default())?;
/// let response = read.value.at("/responses/200").unwrap();
/// assert_eq!(response.to_value().to_string(), r#"{"description":"no","default":1.10}"#);
/// # Ok(())
/// # }
/// ```
///
/// YAML names that look like numbers, truth values or null become texts as written; merge keys (`<<`) are expanded;
/// numbers keep their digits; when a name occurs twice the last value counts, with a warning.
///
/// # Errors
/// One diagnostic with its position when the text exceeds the limits, is not Unicode, or is neither JSON nor YAML.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Parsed<Node>, Vec<Diagnostic>> {
    read_text(bytes, limits).map_err(|fault| vec![*fault.0])
}

fn read_text(bytes: &[u8], limits: &Limits) -> Result<Parsed<Node>, Fault> {
    if bytes.len() > limits.bytes {
        return Err(fault::too_large(bytes.len(), limits.bytes));
    }
    let text = decode(bytes)?;
    if looks_like_json(&text) { json::read(&text, limits) } else { yaml::read(&text, limits) }
}

/// Returns true if the first character shows that a text is JSON. The JSON reader refuses YAML in braces that is not
/// JSON, and says how to have it read as YAML.
pub(crate) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

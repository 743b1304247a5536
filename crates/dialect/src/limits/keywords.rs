//! Single keywords of a schema, and the providers that support them.

use callgate_tool::Value;

/// Returns true if a keyword allows several types.
pub fn is_union(keyword: &str, value: &Value) -> bool {
    let n_types = value.as_array().map_or(0, Vec::len);
    ["anyOf", "oneOf", "type"].contains(&keyword) && n_types > 1
}

/// Keywords that `Gemini` and strict modes do not support.
pub(super) const RULES: [&str; 9] = [
    "dependentRequired",
    "dependentSchemas",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "uniqueItems",
];

pub(super) fn is_identifier(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_digit = name.starts_with(|first: char| first.is_ascii_digit());
    (1..=64).contains(&name.len()) && name.bytes().all(is_word) && !is_digit
}

/// Returns true if a local engine does not support a pattern.
pub(super) fn is_unsupported_pattern(pattern: &str) -> bool {
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look));
    looks_around || !pattern.starts_with('^') || !pattern.ends_with('$')
}

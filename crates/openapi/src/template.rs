//! Splits the key of a path item into segments of literals and variables, and refuses keys that could lead outside the
//! server's base path. Values are checked later, when a call is made.

pub(crate) mod framework;

use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::operation::PathPart;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Template {
    pub(crate) segments: Arc<[Box<[PathPart]>]>,
    pub(crate) fixed_query: Option<Arc<str>>,
    /// The values in the key's own query that contain variables.
    pub(crate) query_values: Box<[QueryValue]>,
    /// True if a fragment was removed, which no request carries (RFC 9110 §7.1).
    pub(crate) has_fragment: bool,
}

/// A value in a key's own query that contains variables: `{lat}` in `/weather?at={lat},{lon}`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct QueryValue {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
    pub(crate) variable: Option<Arc<str>>,
}

impl QueryValue {
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.text.contains(&format!("{{{name}}}"))
    }
}

impl Template {
    /// Splits a path key; the error is the reason why the key is refused.
    pub(crate) fn parse(key: &str) -> Result<Self, &'static str> {
        let below = key.strip_prefix('/').ok_or("a path that starts with `/`")?;
        if below.starts_with(['/', '\\']) {
            return Err("a path that names no host");
        }
        if key.contains('\\') || key.chars().any(char::is_control) {
            return Err("a path without `\\` and control characters");
        }
        let (below, fragment) = cut_fragment(below)?;
        let (path, query) = cut_query(below);
        let segments = path.split('/').map(segment_parts).collect::<Result<_, _>>()?;
        let (filled, fixed): (Vec<_>, Vec<_>) =
            query.unwrap_or_default().split('&').partition(|pair| pair.contains(['{', '}']));
        let fixed = fixed.join("&");
        let fixed_query = Some(fixed).filter(|query| !query.is_empty());
        let fixed_query = fixed_query.map(|query| utf8_percent_encode(&query, QUERY).to_string());
        Ok(Self {
            segments,
            fixed_query: fixed_query.map(Into::into),
            query_values: filled.into_iter().map(query_value).collect::<Result<_, _>>()?,
            has_fragment: fragment.is_some(),
        })
    }

    /// Removes the operator `+` from the variables (RFC 6570 §3.2.3), which OpenAPI does not support, and returns the
    /// first variable that had it. A variable keeps its `+` if `is_name` says that it is part of the name.
    pub(crate) fn strip_plus_operators(
        &mut self,
        is_name: impl Fn(&str) -> bool,
    ) -> Option<Arc<str>> {
        let is_operator = |name: &Arc<str>| name.starts_with('+');
        if !self.variables().any(is_operator) {
            return None;
        }
        let mut first = None;
        for part in Arc::make_mut(&mut self.segments).iter_mut().flatten() {
            let PathPart::Variable(name) = part else { continue };
            let bare = name.strip_prefix('+').filter(|bare| !bare.is_empty() && !is_name(name));
            if let Some(bare) = bare.map(Arc::from) {
                let written = std::mem::replace(name, bare);
                first.get_or_insert(written);
            }
        }
        first
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &Arc<str>> {
        self.segments.iter().flat_map(|segment| segment.iter()).filter_map(|part| match part {
            PathPart::Literal(_) => None,
            PathPart::Variable(name) => Some(name),
        })
    }

    pub(crate) fn has_fixed_query_key(&self, name: &str) -> bool {
        let pairs = self.fixed_query.iter().flat_map(|query| query.split('&'));
        let mut names = pairs.map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
        names.any(|fixed| percent_decode_str(fixed).eq(name.bytes()))
    }
}

/// Path and fragment: the fragment distinguishes several operations on one path. It must be a plain word; otherwise
/// readers could split the key in different ways, and the key is refused.
fn cut_fragment(text: &str) -> Result<(&str, Option<&str>), &'static str> {
    let Some((path, fragment)) = text.split_once('#') else { return Ok((text, None)) };
    if fragment.contains(['/', '?', '#', '{', '}']) || is_dot_segment(fragment) {
        return Err("a path whose fragment is a plain word");
    }
    Ok((path, Some(fragment)))
}

/// Path and query; a `?` inside a variable's braces is part of its name.
fn cut_query(text: &str) -> (&str, Option<&str>) {
    let mut inside = false;
    for (at, c) in text.char_indices() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            '?' if !inside => {
                let (path, query) = text.split_at_checked(at).unwrap_or((text, ""));
                return (path, query.strip_prefix('?'));
            }
            _ => {}
        }
    }
    (text, None)
}

fn segment_parts(text: &str) -> Result<Box<[PathPart]>, &'static str> {
    if !text.contains(['{', '}']) {
        return literal_part(text);
    }
    let mut parts = Vec::with_capacity(1);
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or("`{` and `}` in pairs")?;
        if name.is_empty() || name.contains('{') || literal.contains('}') {
            return Err("`{` and `}` around a name");
        }
        if !literal.is_empty() {
            parts.push(PathPart::Literal(escaped_literal(literal)));
        }
        parts.push(PathPart::Variable(name.into()));
        rest = after;
    }
    if rest.contains('}') {
        return Err("`{` and `}` in pairs");
    }
    if !rest.is_empty() {
        parts.push(PathPart::Literal(escaped_literal(rest)));
    }
    Ok(parts.into())
}

fn literal_part(text: &str) -> Result<Box<[PathPart]>, &'static str> {
    if is_dot_segment(text) {
        return Err("a path without dot segments");
    }
    if text.is_empty() {
        return Ok(Box::default());
    }
    Ok(Box::new([PathPart::Literal(escaped_literal(text))]))
}

/// Returns true if a segment denotes this directory or its parent, or hides a `/`, after as many decodings as a service
/// might apply.
fn is_dot_segment(segment: &str) -> bool {
    if !segment.contains(['.', '%']) {
        return false;
    }
    let mut text = segment.to_owned();
    for _ in 0..=DECODINGS {
        let plain = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        if plain == "." || plain == ".." || text.contains("../") || text.contains("..\\") {
            return true;
        }
        if !text.contains('%') {
            return false;
        }
        text = percent_decode_str(&text).decode_utf8_lossy().into_owned();
    }
    false
}

fn query_value(pair: &str) -> Result<QueryValue, &'static str> {
    let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
    if name.is_empty() || name.contains(['{', '}']) {
        return Err("a path whose query has variables in its values alone");
    }
    let parts = segment_parts(text)?;
    let variable = match &*parts {
        [PathPart::Variable(name)] => Some(Arc::clone(name)),
        _ => None,
    };
    let name = percent_decode_str(name).decode_utf8_lossy();
    Ok(QueryValue { name: name.into(), text: text.into(), variable })
}

/// A literal as it is sent. Escapes in the description are kept; a `%` that starts none is escaped.
fn escaped_literal(literal: &str) -> Arc<str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if literal.bytes().all(is_plain) {
        return literal.into();
    }
    let mut text = String::with_capacity(literal.len());
    for (n, piece) in literal.split('%').enumerate() {
        if n > 0 {
            let is_escape = piece
                .get(..2)
                .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            text.push_str(if is_escape { "%" } else { "%25" });
        }
        text.extend(utf8_percent_encode(piece, SEGMENT));
    }
    text.into()
}

/// The number of times a value is decoded in the search for dot segments (a proxy, a framework, an application).
const DECODINGS: usize = 3;

/// The characters that RFC 3986 §3.3 does not allow in a segment.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'#')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'\\');

/// The characters that RFC 3986 §3.4 does not allow in a query.
const QUERY: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'#')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'|')
    .add(b'\\');

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments joined by `/`, variables in braces, the fixed query after `?`.
    fn written(template: &Template) -> String {
        let part = |part: &PathPart| match part {
            PathPart::Literal(text) => text.to_string(),
            PathPart::Variable(name) => format!("{{{name}}}"),
        };
        let segments = template.segments.iter();
        let segments: Vec<String> =
            segments.map(|parts| parts.iter().map(part).collect()).collect();
        let query = template.fixed_query.as_ref().map(|query| format!("?{query}"));
        segments.join("/") + &query.unwrap_or_default()
    }

    #[track_caller]
    fn check(key: &str, expected: &str) {
        assert_eq!(
            Template::parse(key).map(|template| written(&template)),
            Ok(expected.to_owned())
        );
    }

    #[test]
    fn template_operators_are_no_part_of_a_variable() {
        let mut template = Template::parse("/v1/{+name}/{n}{+m}").unwrap();
        assert_eq!(template.strip_plus_operators(|name| name == "+m"), Some("+name".into()));
        assert_eq!(written(&template), "v1/{name}/{n}{+m}");
        assert_eq!(template.strip_plus_operators(|name| name == "+m"), None);
    }

    #[test]
    fn the_query_of_a_path_key_fixes_its_parameters() {
        let template = Template::parse("/a?list%2Dtype=2&beta").unwrap();
        assert!(template.has_fixed_query_key("list-type") && template.has_fixed_query_key("beta"));
        assert!(
            !template.has_fixed_query_key("list")
                && !template.has_fixed_query_key("2")
                && !template.has_fixed_query_key("")
        );
        assert!(!Template::parse("/a").unwrap().has_fixed_query_key("a"));
    }

    #[test]
    fn a_path_key_is_split_at_slashes_and_braces() {
        check("/", "");
        check("/pets/{petId}", "pets/{petId}");
        check("/pets/", "pets/");
        check("/a/{b}.{c}:verb", "a/{b}.{c}:verb");
        check("/files/{name?}", "files/{name?}");
    }

    #[test]
    fn the_query_of_a_path_key_is_sent_with_every_call() {
        check("/q?x=1&y", "q?x=1&y");
        check("/q?", "q");
    }

    #[test]
    fn variables_in_the_query_of_a_path_key_are_query_values() {
        let template = Template::parse("/q?a=1&at={lat},{lon}&b%20c={x}#f").unwrap();
        assert_eq!(written(&template), "q?a=1");
        let values = template.query_values.iter();
        let values: Vec<_> = values
            .map(|value| format!("{} {} {:?}", value.name, value.text, value.variable.as_deref()))
            .collect();
        assert_eq!(values, ["at {lat},{lon} None", "b c {x} Some(\"x\")"]);
    }

    #[test]
    fn the_fragment_of_a_path_key_is_not_sent() {
        check("/q?x#f", "q?x");
        check("/files/{id}#add", "files/{id}");
        check("/#Action=List", "");
        assert!(Template::parse("/files#add").unwrap().has_fragment);
        assert!(!Template::parse("/files").unwrap().has_fragment);
    }

    #[test]
    fn literals_of_a_path_key_are_escaped_once() {
        check("/a b/ä/%20/100%", "a%20b/%C3%A4/%20/100%25");
    }

    #[test]
    fn hostile_path_keys_are_refused() {
        let texts = r"pets //h/x http://h/x /a/../../admin /a/%2e%2E/b /. /a/%252e%252e /q#../x
            /q#a/b /q#%2e%2e /q#a?b /a/{b#c} /\h /a\b /a/{ /a/} /a/{} /a/{b{c}} /q?{x}=1 /q?x={y
            /q?x={} /a/..%2fb";
        for key in texts.split_whitespace().chain(["", "/a\nb"]) {
            assert!(Template::parse(key).is_err(), "{key}");
        }
    }
}

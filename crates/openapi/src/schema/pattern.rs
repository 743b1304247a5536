//! Keeps the patterns that a linear-time engine can run. Others (look-around, back references) remain in the
//! declaration; in the schema that values are checked against they become words.

use callgate_tool::{Object, Value};
use callgate_tree::{Node, Object as NodeObject, Path};
use regex_syntax::{
    hir::{Class, ClassUnicode, Hir, HirKind},
    utf8::Utf8Sequences,
};

use crate::{
    code::Code,
    schema::{Builder, View, bytes::Bytes, nullable::schema_allowing_null},
};

pub(super) fn copy_pattern(
    builder: &mut Builder<'_>,
    value: &Node,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(pattern) = value.as_str() else {
        let message = format!("expected a pattern, got: {}", value.kind());
        builder.findings.warning(Code::DroppedKeyword, path, message, "write it as text");
        return;
    };
    let pattern = match pattern_and_flags(pattern) {
        None => pattern,
        Some((inner, "")) => {
            let message = format!("expected a pattern without delimiters, got: `{pattern}`");
            let help = "write it without the slashes; the pattern between them is used";
            builder.findings.warning(Code::RepairedKeyword, path, message, help);
            inner
        }
        Some(_) => {
            let message =
                format!("expected a pattern without delimiters and flags, got: `{pattern}`");
            let help = "write it without them; values are not checked against it";
            return builder.findings.warning(Code::DroppedKeyword, path, message, help);
        }
    };
    let Some(pattern) = builder.copy_text_or_report(pattern) else { return };
    if is_linear(&pattern) {
        built.insert("pattern".to_owned(), pattern.into());
        return;
    }
    let message = format!("expected a pattern that can be run in bounded time, got: `{pattern}`");
    let help = "values are not checked against it; the service does";
    builder.findings.note(Code::UnsupportedPattern, path, message, help);
    if builder.view == View::Complete {
        built.insert("$comment".to_owned(), format!("matches `{pattern}`").into());
    } else {
        built.insert("pattern".to_owned(), pattern.into());
    }
}

/// Copies `patternProperties`. The schema that values are checked against leaves out names whose pattern cannot be run,
/// and therefore also the rule about all other names.
pub(super) fn copy_pattern_properties<'d>(
    builder: &mut Builder<'d>,
    object: &'d NodeObject,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(value) = object.get("patternProperties") else { return };
    let Some(members) = value.as_object() else {
        let message = format!("expected an object of schemas, got: {}", value.kind());
        return builder.findings.warning(
            Code::DroppedKeyword,
            path,
            message,
            "write schemas by patterns",
        );
    };
    let mut kept = Object::new();
    let mut is_whole = true;
    for (pattern, schema) in members.iter() {
        let path = path.name(pattern);
        if !is_linear(pattern) {
            let message =
                format!("expected a pattern that can be run in bounded time, got: `{pattern}`");
            let help = "names are not checked against it; the service does";
            builder.findings.note(Code::UnsupportedPattern, path, message, help);
            if builder.view == View::Complete {
                is_whole = false;
                continue;
            }
        }
        let Some(name) = builder.copy_text_or_report(pattern) else { break };
        let schema = builder.build_unfilled(|builder| builder.build_schema(schema, &path));
        let is_removable = builder.bytes == Bytes::Patch;
        kept.insert(name, if is_removable { schema_allowing_null(schema) } else { schema });
    }
    let is_said_of_others = ["additionalProperties", "unevaluatedProperties"];
    if !is_whole && is_said_of_others.iter().any(|name| object.get(name).is_some()) {
        // The pattern may match any name.
        kept.insert(String::new(), Value::Bool(true));
    }
    built.insert("patternProperties".to_owned(), Value::Object(kept));
}

/// The pattern between the delimiters of PHP and JavaScript, and the flags that change it. A pattern with an anchor at one
/// of its slashes means nothing else: no text has anything before its start or after its end.
fn pattern_and_flags(pattern: &str) -> Option<(&str, &str)> {
    let (inner, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let ends = inner.ends_with('$') && !inner.ends_with("\\$");
    let is_flags = flags.chars().all(|flag| "Ddgimsuvxy".contains(flag));
    let flags = flags.trim_start_matches(['D', 'd', 'g', 'u']);
    (is_flags && (inner.starts_with('^') || ends)).then_some((inner, flags))
}

/// True if a pattern of ECMA-262 has a meaning for an engine without backtracking, and a size within its limit.
pub(crate) fn is_linear(pattern: &str) -> bool {
    if pattern.len() > LONGEST {
        return false;
    }
    // Escapes that denote themselves in ECMA-262 are the only difference between the notations.
    let read = |pattern: &str| regex_syntax::Parser::new().parse(pattern).ok();
    let pattern = with_ascii_classes(pattern);
    let read = read(&pattern).or_else(|| read(&pattern.replace("\\/", "/")));
    read.is_some_and(|read| engine_size(&read) <= LARGEST)
}

/// The pattern with the classes that are ASCII-only in ECMA-262 §22.2.2.9.
fn with_ascii_classes(pattern: &str) -> String {
    let mut written = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        match escaped {
            Some('d') => written.push_str("[0-9]"),
            Some('D') => written.push_str("[^0-9]"),
            Some('w') => written.push_str("[0-9A-Za-z_]"),
            Some('W') => written.push_str("[^0-9A-Za-z_]"),
            escaped => written.extend([character].into_iter().chain(escaped)),
        }
    }
    written
}

/// An upper estimate of the bytes that an engine needs, at most about twice the real size. The depth of a pattern is
/// limited when it is parsed.
fn engine_size(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Class(Class::Bytes(_)) | HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STATE),
        HirKind::Class(Class::Unicode(class)) => class_size(class),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or_else(|| repetition.min.saturating_add(1)).max(1);
            let once = engine_size(&repetition.sub).saturating_add(STATE);
            once.saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => STATE.saturating_add(engine_size(&capture.sub)),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(STATE, |sum: usize, part| sum.saturating_add(engine_size(part)))
        }
    }
}

/// The size of a character class in an engine that works on bytes: one transition for each range of bytes; large
/// classes share most of them.
fn class_size(class: &ClassUnicode) -> usize {
    let ranges = class.ranges().iter();
    let moves = |range: &regex_syntax::hir::ClassUnicodeRange| -> usize {
        Utf8Sequences::new(range.start(), range.end()).map(|sequence| sequence.len()).sum()
    };
    let n_moves: usize = ranges.map(moves).sum();
    let n_shared = n_moves.saturating_sub(UNSHARED);
    STATE + (n_moves - n_shared) * MOVE + n_shared * MOVE / 4
}

/// The length limit in bytes. Patterns of real descriptions have fewer than 2,000; parsing one takes a hundred times
/// its size.
const LONGEST: usize = 16 << 10;

/// The size limit of an engine in bytes; values are checked by an engine with this limit.
const LARGEST: usize = 10 << 20;

/// The bytes of an engine's state, and of a transition to another one.
const STATE: usize = 32;
const MOVE: usize = 24;

/// The number of transitions that a class does not share.
const UNSHARED: usize = 200;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::schema::sample::check;

    #[test]
    fn delimiters_of_a_regular_expression_are_removed() {
        for (pattern, expected) in [
            ("^[a-z]+$", Some("^[a-z]+$")),
            ("^/v1/$", Some("^/v1/$")),
            ("/v[0-9]/", Some("/v[0-9]/")),
            (r"/price\$/", Some(r"/price\$/")),
        ] {
            let schema = json!({"type": "string", "pattern": pattern});
            check(schema, json!({"type": "string", "pattern": expected}), &[]);
        }
        for (pattern, inner) in
            [("/^[a-z]+$/", "^[a-z]+$"), ("/^a/u", "^a"), ("/a$/D", "a$"), (r"/^a\/b$/", r"^a\/b$")]
        {
            let schema = json!({"type": "string", "pattern": pattern});
            check(schema, json!({"type": "string", "pattern": inner}), &["repaired-keyword"]);
        }
        let flagged = json!({"type": "string", "pattern": "/^[a-z]+$/i"});
        check(flagged, json!({"type": "string"}), &["dropped-keyword"]);
    }

    #[test]
    fn patterns_too_large_for_any_engine_are_recognized() {
        for (pattern, expected) in [
            ("^[a-z]{1,63}$", true),
            (r"^\p{L}+$", true),
            (r"^[\p{L}\p{N} ]{1,255}$", true),
            (r"^[\p{L}]{1,1000}$", false),
            (r"^[\w\-]{1,4000}$", true),
            (r"^\\w{1,4000}$", true),
            (r"^a\/b$", true),
            ("^.{0,255}$", true),
            ("^.{0,262144}$", false),
            (r"\p{Print}", false),
            ("((a{100}){100}){100}", false),
            ("(?=a)", false),
            (r"(a)\1", false),
        ] {
            assert_eq!(is_linear(pattern), expected, "{pattern}");
        }
    }
}

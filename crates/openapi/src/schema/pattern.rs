//! Keeps the patterns a linear-time engine can run. Others (look-around, back references) stay in the declaration and
//! become words where values are checked.

use callgate_tool::{Object, Value};
use callgate_tree::{Node, Object as NodeObject, Path};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::{
    code::Code,
    schema::{Builder, View},
};

/// Copies a `pattern`.
pub(super) fn copy(builder: &mut Builder<'_>, value: &Node, path: &Path<'_>, built: &mut Object) {
    let Some(pattern) = value.as_str() else {
        let message = format!("expected a pattern, got: {}", value.kind());
        builder.findings.warning(Code::DroppedKeyword, path, message, "write it as text");
        return;
    };
    let Some(pattern) = builder.copy_text(pattern) else { return };
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

/// Copies `patternProperties`. Where values are checked, names whose pattern cannot be run are left out, and so is what is
/// said of all other names.
pub(super) fn copy_names<'d>(
    builder: &mut Builder<'d>,
    (object, value): (&'d NodeObject, &'d Node),
    path: &Path<'_>,
    built: &mut Object,
) {
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
        let Some(name) = builder.copy_text(pattern) else { break };
        let schema = builder.unfilled(|builder| builder.schema(schema, &path));
        kept.insert(name, schema);
    }
    let is_said_of_others = ["additionalProperties", "unevaluatedProperties"];
    if !is_whole && is_said_of_others.iter().any(|name| object.get(name).is_some()) {
        // Every name may be one that the pattern means.
        kept.insert(String::new(), Value::Bool(true));
    }
    built.insert("patternProperties".to_owned(), Value::Object(kept));
}

/// Whether a pattern of ECMA-262 has a meaning for an engine without backtracking, and a size it can hold.
pub(crate) fn is_linear(pattern: &str) -> bool {
    if pattern.len() > LONGEST {
        return false;
    }
    // What only the two notations tell apart: escapes that mean themselves in ECMA-262.
    let read = |pattern: &str| regex_syntax::Parser::new().parse(pattern).ok();
    let read = read(pattern).or_else(|| read(&pattern.replace("\\/", "/")));
    read.is_some_and(|read| size(&read) <= LARGEST)
}

/// About how many states an engine needs. The depth of a pattern is bounded where it is read.
fn size(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Class(Class::Bytes(_)) | HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => 1 + class.ranges().len().min(RANGES),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or_else(|| repetition.min.saturating_add(1)).max(1);
            size(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => 1_usize.saturating_add(size(&capture.sub)),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1, |sum: usize, part| sum.saturating_add(size(part)))
        }
    }
}

/// In bytes. Those of real descriptions have fewer than 2,000; to read one takes a hundred times its size.
const LONGEST: usize = 16 << 10;

/// In states. Real patterns have some hundreds; engines refuse ten times as many.
const LARGEST: usize = 20_000;

/// The ranges of a class that count: engines share the rest.
const RANGES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_engine_holds_is_told_from_what_one_holds() {
        for (pattern, expected) in [
            ("^[a-z]{1,63}$", true),
            (r"^\p{L}+$", true),
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

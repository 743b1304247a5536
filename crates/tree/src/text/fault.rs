//! The findings of the readers, one function each. They carry their position when the reader knows it.

use crate::code::TextCode;
use crate::diagnostic::{Diagnostic, Position, Severity};

#[derive(Debug)]
pub(crate) struct Fault(pub(crate) Box<Diagnostic>);

/// The number of findings of one kind that are reported; more of them say nothing new.
pub(super) const REPEATED_FINDINGS: usize = 100;

pub(super) fn too_large(bytes: usize, limit: usize) -> Fault {
    error_fault(
        TextCode::TextTooLarge,
        None,
        format!("the text may have {limit} bytes, it has: {bytes}"),
        "remove what is not needed, or raise `description_bytes` if it is a description",
    )
}

/// Makes functions that make faults at a position: a row has the code, the problem, in which the parameters stand, and the
/// remedy.
macro_rules! faults {
    ($(
        $(#[$of:meta])*
        fn $name:ident($at:ident: Position $(, $parameter:ident: $Parameter:ty)*) = $Code:ident:
            $message:literal, $help:literal;
    )+) => {
        $(
            $(#[$of])*
            pub(super) fn $name($at: Position $(, $parameter: $Parameter)*) -> Fault {
                error_fault(TextCode::$Code, Some($at), format!($message), $help)
            }
        )+
    };
}

faults! {
    fn cyclic_alias(at: Position) = UnreadableText:
        "an alias must not stand inside what it refers to", "use `$ref` for recursion";
    fn not_json(at: Position, reason: &str) = UnreadableText:
        "expected JSON, as the first character says, found a fault: {reason}",
        "JSON has quoted names, no comments and no comma after the last member; \
         if this is YAML, put a line `---` before it";
    fn not_utf16(at: Position) = NotUtf8:
        "expected UTF-16, as the byte order mark says, found something else", "save the file as UTF-8";
    fn not_utf8(at: Position, offset: usize) = NotUtf8:
        "expected UTF-8, found something else at byte: {offset}", "save the file as UTF-8";
    fn not_yaml(at: Position, reason: &str) = UnreadableText:
        "expected YAML, found a fault: {reason}", "check indentation, quotes and colons here and in the line before";
    fn nul_fault(at: Position, offset: usize) = NotUtf8:
        "expected text, found a NUL at byte: {offset}", "save the file as UTF-8; UTF-16 needs a byte order mark";
    /// The finding of a tab in the indentation, which YAML 1.2.2 §6.1 forbids.
    fn tab_fault(at: Position) = UnreadableText:
        "expected spaces, found a tab in the indentation of YAML",
        "replace the tabs at the beginnings of lines with spaces, two for each level";
    fn too_deep(at: Position, limit: usize) = TextTooDeep:
        "lists and objects may be nested {limit} levels deep, here they are deeper",
        "name the inner parts and refer to them with `$ref`; `description_depth` may be 120 at most";
    fn too_many_alias_bytes(at: Position, limit: usize) = AliasExpansion:
        "aliases may stand for {limit} bytes of text, with this one they stand for more",
        "use `$ref` instead of aliases; `alias_bytes` may be raised up to ten times the text";
    fn too_many_nodes(at: Position, limit: usize) = TooManyNodes:
        "the text may have {limit} values, it has more, aliases unfolded",
        "remove what is not needed, or raise `description_nodes` if it is a description";
}

pub(super) fn unreadable_fault(at: Position, message: &str, help: &str) -> Fault {
    error_fault(TextCode::UnreadableText, Some(at), message.to_owned(), help)
}

pub(super) fn duplicate_key(pointer: String, name: &str, lines: &[Position]) -> Diagnostic {
    let mut message = format!("`{name}` occurs more than once in one object, the last one counts");
    if let [first, .., last] = lines {
        message = format!("{message}; lines: {} and {}", first.line, last.line);
    }
    let position = lines.last().copied();
    Diagnostic {
        pointer,
        position,
        ..duplicate_key_warning(message, "remove or rename one of them")
    }
}

pub(super) fn more_findings(n_more: usize) -> Diagnostic {
    let message = format!("more findings like these: {n_more}");
    duplicate_key_warning(message, "repair those that are shown and check again")
}

fn duplicate_key_warning(message: String, help: &str) -> Diagnostic {
    Diagnostic::new(TextCode::DuplicateKey, Severity::Warning, message, help)
}

pub(super) fn non_finite(pointer: String, at: Position, text: &str) -> Diagnostic {
    let message = format!("expected a number JSON has, found one that is read as a text: `{text}`");
    let help = "quote it, or write a number";
    let diagnostic = Diagnostic::new(TextCode::NonFiniteNumber, Severity::Note, message, help);
    Diagnostic { pointer, position: Some(at), ..diagnostic }
}

pub(super) fn ignored_tag(pointer: String, at: Position, tag: &str) -> Diagnostic {
    let message = format!("expected no tag, or one of JSON's values, ignored: `{tag}`");
    let diagnostic = Diagnostic::new(TextCode::IgnoredTag, Severity::Note, message, "remove it");
    Diagnostic { pointer, position: Some(at), ..diagnostic }
}

pub(crate) fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let in_line = before.get(line_start..).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    Position { line, column: in_line.chars().count() + 1 }
}

fn error_fault(code: TextCode, position: Option<Position>, message: String, help: &str) -> Fault {
    let diagnostic = Diagnostic::new(code, Severity::Error, message, help);
    Fault(Box::new(Diagnostic { position, ..diagnostic }))
}

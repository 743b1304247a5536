//! Keeps the patterns a linear-time engine can run. Others (look-around, back references) stay in the declaration and
//! become words where values are checked.

use callgate_tool::Object;
use callgate_tree::{Node, Path};

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
    let message = format!("expected a pattern without look-around, got: `{pattern}`");
    let help = "values are not checked against it; the service does";
    builder.findings.note(Code::UnsupportedPattern, path, message, help);
    if builder.view == View::Complete {
        built.insert("$comment".to_owned(), format!("matches `{pattern}`").into());
    } else {
        built.insert("pattern".to_owned(), pattern.into());
    }
}

/// Whether a pattern of ECMA-262 has a meaning for an engine without backtracking.
fn is_linear(pattern: &str) -> bool {
    if pattern.len() > LONGEST {
        return false;
    }
    if regex_syntax::ast::parse::Parser::new().parse(pattern).is_ok() {
        return true;
    }
    // What only the two notations tell apart: escapes that mean themselves in ECMA-262.
    let plain = pattern.replace("\\/", "/");
    regex_syntax::ast::parse::Parser::new().parse(&plain).is_ok()
}

/// In bytes. Those of real descriptions have fewer than 2,000; to read one takes a hundred times its size.
const LONGEST: usize = 16 << 10;

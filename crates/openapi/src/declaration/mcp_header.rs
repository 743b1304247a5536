//! Reads `x-mcp-header` (MCP 2026-07-28): the header in which clients repeat an argument, so that what stands between can route by it.
//! Looks at the schema of an argument itself; what lies below is no argument.

use callgate_tool::Value;
use callgate_tree::Path;

use crate::{blueprint::Origin, code::Code, schema::Builder, security::header::is_header_name};

/// The header that a schema names for an argument, whose schema was `built`; one that cannot be is reported.
pub(super) fn of(
    builder: &mut Builder<'_>,
    schema: &Origin,
    built: &Value,
    known: &[(String, String)],
) -> Option<String> {
    let named = schema.node.get(KEYWORD)?;
    let name = named.as_str().filter(|name| is_header_name(name));
    let is_primitive = built
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|kind| matches!(kind, "boolean" | "integer" | "string"));
    let wrong = match name {
        None => "expected the name of a header, got another value",
        Some(_) if !is_primitive => {
            "expected an argument of one type (a text, an integer or a boolean), got another"
        }
        Some(name) if known.iter().any(|(_, known)| known.eq_ignore_ascii_case(name)) => {
            "expected a header of its own, got one that another argument has"
        }
        Some(name) => return Some(name.to_owned()),
    };
    let message = format!("`{KEYWORD}`: {wrong}");
    let help = "correct it, or leave the key out";
    builder.findings.note(Code::McpHeader, Path::at(&schema.pointer), message, help);
    None
}

const KEYWORD: &str = "x-mcp-header";

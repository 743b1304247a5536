//! Checks the variables of a server for a default that its own `enum` does not list (OpenAPI 3.1.1 §4.8.6). The default
//! is sent anyway, since services are known to respond at such addresses.

use callgate_tree::{Node, Object};

use super::template::written_value;
use crate::{code::Code, findings::Findings, reference::Located};

/// Reports unlisted defaults of the first server of a list, except those that the operator replaces.
pub(super) fn report_odd_defaults(
    list: &Located<'_>,
    is_replaced: impl Fn(&str) -> bool,
    findings: &mut Findings,
) {
    let above = list.path();
    let first = above.index(0);
    let server = list.node.as_array().and_then(<[Node]>::first);
    let variables = server.and_then(|server| server.get("variables")).and_then(Node::as_object);
    for (name, variable) in variables.into_iter().flat_map(Object::iter) {
        let legal = variable.get("enum").and_then(Node::as_array).unwrap_or_default();
        let mut legal = legal.iter().filter_map(written_value).peekable();
        let Some(default) = variable.get("default").and_then(written_value) else { continue };
        if legal.peek().is_none() || is_replaced(name) || legal.any(|known| known == default) {
            continue;
        }
        let at = first.name("variables");
        let message = format!(
            "expected a default of the server variable `{name}` that its `enum` lists, got: `{default}`"
        );
        let help = "correct it, or set the variable under `server_variables`; the default is used";
        findings.warning(Code::ServerVariable, at.name(name).name("default"), message, help);
    }
}

//! The variables of a server: fills them in, by the operator's values, else by the defaults (OpenAPI 3.0.3 §4.7.6), and
//! reports a default that its own `enum` does not list (OpenAPI 3.1.1 §4.8.6). Such a default is sent anyway, since
//! services are known to respond at such addresses.

use callgate_tree::Node;

use super::{
    ServerRefusal, server_refusal,
    text::{InvalidAddress, check_placeholders, wrong_address},
};
use crate::{code::Code, findings::Findings, options::LoadOptions, reference::LocatedNode};

pub(super) fn filled_template(
    template: &str,
    variables: Option<&Node>,
    pointer: &str,
    options: &LoadOptions,
) -> Result<String, ServerRefusal> {
    let invalid = |InvalidAddress(message)| server_refusal(Code::InvalidServer, pointer, message);
    check_placeholders(template).map_err(invalid)?;
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            let expected = "expected a server URL whose `{` and `}` are in pairs";
            return Err(invalid(wrong_address(expected, template)));
        };
        text.push_str(before);
        text.push_str(&variable_value(name, variables, pointer, options)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn variable_value(
    name: &str,
    variables: Option<&Node>,
    pointer: &str,
    options: &LoadOptions,
) -> Result<String, ServerRefusal> {
    let variable = variables.and_then(|variables| variables.get(name));
    let legal = variable.and_then(|variable| variable.get("enum")).and_then(Node::as_array);
    let legal = legal.map(|values| values.iter().filter_map(scalar_text).collect::<Vec<_>>());
    let bad = |message| server_refusal(Code::ServerVariable, pointer, message);
    if let Some(value) = options.server_variables.get(name) {
        let is_legal = legal.as_ref().is_none_or(|legal| legal.is_empty() || legal.contains(value));
        let expected = || legal.clone().unwrap_or_default().join("`, `");
        return is_legal.then(|| value.clone()).ok_or_else(|| {
            bad(format!(
                "expected the server variable `{name}` to be one of `{}`, got: `{value}`",
                expected()
            ))
        });
    }
    let default = variable.and_then(|variable| variable.get("default")).and_then(scalar_text);
    default
        .or_else(|| legal?.into_iter().next())
        .ok_or_else(|| bad(format!("expected a value for the server variable `{name}`, got none")))
}

/// A scalar as written; ports are often written as numbers.
fn scalar_text(node: &Node) -> Option<String> {
    match node {
        Node::Bool(value) => Some(value.to_string()),
        Node::Number(number) => Some(number.to_string()),
        Node::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Reports unlisted defaults of the first server of a list, except those that the operator replaces.
pub(super) fn report_unlisted_defaults(
    list: &LocatedNode<'_>,
    is_replaced: impl Fn(&str) -> bool,
    findings: &mut Findings,
) {
    let above = list.path();
    let first = above.index(0);
    let server = list.node.as_array().and_then(<[Node]>::first);
    for (name, variable) in server.into_iter().flat_map(|server| server.members_of("variables")) {
        let legal = variable.list("enum");
        let mut legal = legal.iter().filter_map(scalar_text).peekable();
        let Some(default) = variable.get("default").and_then(scalar_text) else { continue };
        if legal.peek().is_none()
            || is_replaced(name)
            || legal.any(|legal_value| legal_value == default)
        {
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

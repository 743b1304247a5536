//! Fills in the variables of a server's template: by the operator's values, else by the defaults (OpenAPI 3.0.3 §4.7.6).

use callgate_tree::Node;

use super::{
    ServerRefusal, refusal,
    text::{InvalidAddress, check_placeholders, wrong},
};
use crate::{code::Code, options::LoadOptions};

pub(super) fn filled(
    template: &str,
    variables: Option<&Node>,
    pointer: &str,
    options: &LoadOptions,
) -> Result<String, ServerRefusal> {
    let invalid = |InvalidAddress(message)| refusal(Code::InvalidServer, pointer, message);
    check_placeholders(template).map_err(invalid)?;
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            let expected = "expected a server URL whose `{` and `}` are in pairs";
            return Err(invalid(wrong(expected, template)));
        };
        text.push_str(before);
        text.push_str(&value(name, variables, pointer, options)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn value(
    name: &str,
    variables: Option<&Node>,
    pointer: &str,
    options: &LoadOptions,
) -> Result<String, ServerRefusal> {
    let variable = variables.and_then(|variables| variables.get(name));
    let legal = variable.and_then(|variable| variable.get("enum")).and_then(Node::as_array);
    let legal = legal.map(|values| values.iter().filter_map(written_value).collect::<Vec<_>>());
    let bad = |message| refusal(Code::ServerVariable, pointer, message);
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
    let default = variable.and_then(|variable| variable.get("default")).and_then(written_value);
    default
        .or_else(|| legal?.into_iter().next())
        .ok_or_else(|| bad(format!("expected a value for the server variable `{name}`, got none")))
}

/// A scalar as written; ports are often written as numbers.
pub(super) fn written_value(node: &Node) -> Option<String> {
    match node {
        Node::Bool(value) => Some(value.to_string()),
        Node::Number(number) => Some(number.to_string()),
        Node::String(text) => Some(text.to_string()),
        _ => None,
    }
}

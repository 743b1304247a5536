//! Finds the tools that `mcp` names. A name that no tool has is a warning.

use callgate_executor::{Backend, ClientFunction, Toolset};
use callgate_tool::nearest;

use crate::{
    code::ConfigCode,
    mcp::McpConfig,
    reader::{Reader, escaped},
};

/// Warns about named tools that are neither operations nor functions.
pub(super) fn check(
    reader: &mut Reader,
    config: &McpConfig,
    toolsets: &[Toolset],
    functions: &[ClientFunction],
) {
    let operations = toolsets.iter().flat_map(|toolset| &toolset.operations);
    let operations = operations.map(|callable| callable.operation.tool_name.as_str());
    let functions = functions.iter().map(|function| function.name().as_str());
    let names: Vec<&str> = operations.chain(functions).collect();
    let pinned = config.pinned.iter().enumerate();
    let pinned = pinned.map(|(index, name)| (name, format!("/mcp/pinned/{index}")));
    let said = config.tools.keys().map(|name| (name, format!("/mcp/tools/{}", escaped(name))));
    for (name, pointer) in pinned.chain(said).filter(|(name, _)| !names.contains(&name.as_str())) {
        let message = format!("expected the name of a tool, got one that none has: `{name}`");
        let help = match nearest(name, names.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "correct it or remove it".to_owned(),
        };
        reader.warn(ConfigCode::SelectsNothing, pointer, &message, &help);
    }
}

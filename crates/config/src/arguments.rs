//! The key `arguments` of a toolset: the tools whose arguments are the members of their body. The check that this is
//! possible runs after the description is loaded.

use crate::{
    keys::ARGUMENTS,
    reader::{Mapping, Reader, at, escaped},
};

/// A tool whose arguments are the members of its body.
#[derive(Clone, Debug)]
pub(crate) struct BodyArguments {
    /// The tool's name or its `operationId`.
    pub(crate) tool: String,
    /// The JSON pointer of its entry.
    pub(crate) pointer: String,
}

/// Reads `arguments:`.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<BodyArguments> {
    let Some(node) = toolset.object.get("arguments") else { return Vec::new() };
    let pointer = at(toolset, "arguments");
    let Some(mapping) = reader.mapping(node, &pointer, &ARGUMENTS) else { return Vec::new() };
    let Some(node) = mapping.object.get("tools") else { return Vec::new() };
    let pointer = at(mapping, "tools");
    let Some(tools) = node.as_object() else {
        let help = "for example `{createPet: body}`";
        reader.expected(&pointer, "a mapping from tools to `body`", node, help);
        return Vec::new();
    };
    let mut listed = Vec::new();
    for (tool, node) in tools.iter() {
        let pointer = format!("{pointer}/{}", escaped(tool));
        if node.as_str() != Some("body") {
            let help = "`body` makes the members of the body the arguments; leave the tool out for the usual ones";
            reader.expected_plain(&pointer, "`body`", node, help);
        }
        listed.push(BodyArguments { tool: tool.to_string(), pointer });
    }
    listed
}

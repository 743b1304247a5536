//! The key `functions` of a toolset: tools that the client runs.

use callgate_tool::{Value, json};
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::FUNCTION,
    reader::{Mapping, Reader, at},
    toolset::FunctionConfig,
};

/// Reads `functions:`.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<FunctionConfig> {
    let Some(node) = toolset.object.get("functions") else { return Vec::new() };
    let pointer = at(toolset, "functions");
    let Some(items) = node.as_array() else {
        let help = "for example `[{name: open_page, input: {type: object}}]`";
        reader.expected(&pointer, "a list of functions", node, help);
        return Vec::new();
    };
    let items = items.iter().enumerate();
    items.filter_map(|(at, node)| function(reader, &format!("{pointer}/{at}"), node)).collect()
}

fn function(reader: &mut Reader, pointer: &str, node: &Node) -> Option<FunctionConfig> {
    let mapping = reader.mapping(node, pointer, &FUNCTION)?;
    let name = reader.required_string(mapping, "name")?.to_owned();
    let description = reader.string(mapping, "description").unwrap_or_default().to_owned();
    let input = schema(reader, mapping, "input")
        .unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    if input.get("type").and_then(Value::as_str) != Some("object") {
        let message = "expected a schema of objects, got another one";
        let help = "arguments have names: `{type: object, properties: {…}}`";
        reader.complain(ConfigCode::WrongValue, at(mapping, "input"), message, help);
    }
    let output = schema(reader, mapping, "output");
    Some(FunctionConfig { pointer: pointer.to_owned(), name, description, input, output })
}

fn schema(reader: &mut Reader, function: Mapping<'_>, key: &str) -> Option<Value> {
    let node = function.object.get(key)?;
    if node.as_object().is_none() {
        let help = "for example `{type: object, properties: {page: {type: string}}}`";
        reader.expected(&at(function, key), "a JSON Schema", node, help);
        return None;
    }
    Some(node.to_value())
}

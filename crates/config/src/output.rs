//! Reads `output`, which shapes results, for a toolset and for single tools. Reads only the keys;
//! `callgate_call::Shape` applies them. The sizes are read with the other `limits`.

use callgate_call::{BigIntegers, Selection, Shape, ShownHeaders};
use callgate_tree::Node;
use http::{HeaderName, header::SET_COOKIE};

use crate::{
    code::ConfigCode,
    form::Bytes,
    keys::{OUTPUT, OUTPUT_TOOL},
    limits::Bounds,
    reader::{Mapping, Reader, at, escaped},
    toolset::ToolShape,
};

/// The shape of a toolset's results, and of the tools that have their own.
pub(crate) fn shapes(
    reader: &mut Reader,
    toolset: Mapping<'_>,
    bounds: &Bounds,
) -> (Shape, Vec<ToolShape>) {
    let mut shape = Shape::default();
    (shape.media_bytes, shape.result_bytes) = (bounds.media_bytes, bounds.result_bytes);
    let Some(node) = toolset.object.get("output") else { return (shape, Vec::new()) };
    let pointer = at(toolset, "output");
    let Some(mapping) = reader.mapping(node, &pointer, &OUTPUT) else { return (shape, Vec::new()) };
    shown(reader, mapping, &mut shape);
    let tools = tool_shapes(reader, mapping, &shape);
    (shape, tools)
}

/// The shapes of tools under the key `tools`; missing keys have the toolset's values.
fn tool_shapes(reader: &mut Reader, output: Mapping<'_>, toolset: &Shape) -> Vec<ToolShape> {
    let Some(node) = output.object.get("tools") else { return Vec::new() };
    let pointer = at(output, "tools");
    let Some(object) = node.as_object() else {
        let help = "for example `{listPets: {select: [id, name]}}`";
        reader.expected(
            &pointer,
            "a mapping from tools to how their results are shown",
            node,
            help,
        );
        return Vec::new();
    };
    object
        .iter()
        .filter_map(|(name, node)| tool_shape(reader, &pointer, name, node, toolset))
        .collect()
}

fn tool_shape(
    reader: &mut Reader,
    tools: &str,
    name: &str,
    node: &Node,
    toolset: &Shape,
) -> Option<ToolShape> {
    let pointer = format!("{tools}/{}", escaped(name));
    let mapping = reader.mapping(node, &pointer, &OUTPUT_TOOL)?;
    let mut shape = toolset.clone();
    if let Some(bytes) = reader.get::<Bytes>(mapping, "result_bytes") {
        shape.result_bytes = bytes;
    }
    shown(reader, mapping, &mut shape);
    Some(ToolShape { tool: name.to_owned(), pointer, shape })
}

/// Reads the keys that toolsets and tools share.
fn shown(reader: &mut Reader, mapping: Mapping<'_>, shape: &mut Shape) {
    if let Some(big_integers) = big_integers(reader, mapping) {
        shape.big_integers = big_integers;
    }
    if mapping.object.contains("headers") {
        shape.headers = ShownHeaders::Named(headers(reader, mapping));
    }
    let paths = reader.strings(mapping, "select");
    if !paths.is_empty() {
        shape.selection = Selection::paths(paths);
    }
    if let Some(path) = reader.string(mapping, "jsonpath") {
        json_path(reader, mapping, path, shape);
    }
}

fn headers(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<HeaderName> {
    let mut names = Vec::new();
    for text in reader.strings(mapping, "headers") {
        match HeaderName::from_bytes(text.as_bytes()) {
            Ok(name) if name == SET_COOKIE => {
                let message = "expected headers that a model may see, got: `Set-Cookie`";
                let help = "remove it: a cookie is a credential of the service";
                reader.complain(ConfigCode::WrongValue, at(mapping, "headers"), message, help);
            }
            Ok(name) => names.push(name),
            Err(_) => {
                let message = format!("expected names of headers, got: `{text}`");
                let help = "for example `[ETag, X-Total-Count]`";
                reader.complain(ConfigCode::WrongValue, at(mapping, "headers"), message, help);
            }
        }
    }
    names
}

fn json_path(reader: &mut Reader, mapping: Mapping<'_>, path: &str, shape: &mut Shape) {
    if mapping.object.contains("select") {
        let message = "expected `select` or `jsonpath`, got both";
        reader.complain(
            ConfigCode::WrongValue,
            at(mapping, "jsonpath"),
            message,
            "remove one of them",
        );
        return;
    }
    match Selection::json_path(path) {
        Ok(selection) => shape.selection = selection,
        Err(error) => {
            let help = "for example `$.items[*].id`";
            let message = format!("{error}, got: `{path}`");
            reader.complain(ConfigCode::WrongValue, at(mapping, "jsonpath"), message, help);
        }
    }
}

fn big_integers(reader: &mut Reader, mapping: Mapping<'_>) -> Option<BigIntegers> {
    match reader.string(mapping, "big_integers")? {
        "number" => Some(BigIntegers::Number),
        "string" => Some(BigIntegers::String),
        other => {
            let message = format!("expected `number` or `string`, got: `{other}`");
            let help = "`string` keeps the digits for models that round numbers beyond 2^53";
            reader.complain(ConfigCode::WrongValue, at(mapping, "big_integers"), message, help);
            None
        }
    }
}

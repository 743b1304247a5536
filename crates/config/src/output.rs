//! How results are shown: `output` and the size under `limits`. Reads keys; what they do is `callgate_call::Shape`'s.

use callgate_call::{BigIntegers, Selection, Shape};

use crate::{
    keys::OUTPUT,
    reader::{Mapping, Reader, at},
};

/// The shape of a toolset's results.
pub(crate) fn shape(reader: &mut Reader, toolset: Mapping<'_>) -> Shape {
    let mut shape = Shape::default();
    // What is wrong with `limits` as a whole is said where the bounds of the exchange are read.
    let limits = at(toolset, "limits");
    if let Some(object) = toolset.object.get("limits").and_then(|node| node.as_object()) {
        let mapping = Mapping { object, pointer: &limits };
        if let Some(bytes) = reader.bytes(mapping, "result_bytes") {
            shape.result_bytes = bytes;
        }
    }
    let Some(node) = toolset.object.get("output") else { return shape };
    let pointer = at(toolset, "output");
    let Some(mapping) = reader.mapping(node, &pointer, &OUTPUT) else { return shape };
    if let Some(big_integers) = big_integers(reader, mapping) {
        shape.big_integers = big_integers;
    }
    let paths = reader.strings(mapping, "select");
    if !paths.is_empty() {
        shape.selection = Selection::paths(paths);
    }
    if let Some(path) = reader.string(mapping, "jsonpath") {
        json_path(reader, mapping, path, &mut shape);
    }
    shape
}

fn json_path(reader: &mut Reader, mapping: Mapping<'_>, path: &str, shape: &mut Shape) {
    if mapping.object.contains("select") {
        let message = "expected `select` or `jsonpath`, got both";
        reader.complain("wrong-value", at(mapping, "jsonpath"), message, "remove one of them");
        return;
    }
    match Selection::json_path(path) {
        Ok(selection) => shape.selection = selection,
        Err(error) => {
            let help = "for example `$.items[*].id`";
            reader.complain("wrong-value", at(mapping, "jsonpath"), error.to_string(), help);
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
            reader.complain("wrong-value", at(mapping, "big_integers"), message, help);
            None
        }
    }
}

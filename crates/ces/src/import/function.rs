//! Imports tools that the client runs: `functionSpec` of Dialogflow CX with JSON Schemas, and `clientFunction` of
//! Customer Engagement Suite with its own schemas, which are converted to JSON Schemas here.

use callgate_tool::{MAX_TOOL_NAME, Object, Value, json};
use callgate_tree::Node;

use crate::import::{Imported, RemarkKind, message::Message};

pub(super) fn import_cx_function(tool: &Message<'_>, imported: &mut Imported) {
    let Some(spec) = tool.message("functionSpec", imported) else { return };
    spec.remark_unknown_members(&["inputSchema", "outputSchema"], imported);
    let name = tool.required_text("displayName", imported).map(|text| text.plain_text().to_owned());
    let description = tool.text("description", imported).map(|text| text.plain_text().to_owned());
    let schema = |name| spec.node(name).map(Node::to_value).filter(Value::is_object);
    let (input, output) = (schema("inputSchema"), schema("outputSchema"));
    import_function(imported, name, description, input, output);
}

/// Imports a client function of Customer Engagement Suite.
pub(super) fn import_ces_function(export: &Message<'_>, imported: &mut Imported) {
    let Some(function) = export.message("clientFunction", imported) else { return };
    function.remark_unknown_members(&["name", "description", "parameters", "response"], imported);
    let name = function.required_text("name", imported).map(|text| text.plain_text().to_owned());
    let description =
        function.text("description", imported).map(|text| text.plain_text().to_owned());
    let schema = |name| function.node(name).map(|node| ces_to_json_schema(node.to_value(), 0));
    let (input, output) = (schema("parameters"), schema("response"));
    import_function(imported, name, description, input, output);
}

fn import_function(
    imported: &mut Imported,
    name: Option<String>,
    description: Option<String>,
    input: Option<Value>,
    output: Option<Value>,
) {
    let Some(name) = name else { return };
    let legal = legal_name(&name);
    if legal != name {
        let message = format!("the function is called `{legal}`, which models can write");
        imported.add_remark(RemarkKind::Ignored, "/displayName", message);
    }
    let mut input = input.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    if let Some(members) = input.as_object_mut().filter(|members| !members.contains_key("type")) {
        members.insert("type", Value::from("object"));
    }
    if input.get("type").and_then(Value::as_str) != Some("object") {
        let message = "expected a schema of objects for the arguments of a function";
        return imported.add_remark(RemarkKind::Invalid, "", message);
    }
    let mut function = Object::new();
    function.insert("name", Value::from(legal));
    function.insert("description", Value::from(description.unwrap_or_default()));
    function.insert("input", input);
    function.insert_if_some("output", output);
    imported.settings.insert("functions", json!([Value::Object(function)]));
}

/// The name in characters that models can write.
fn legal_name(name: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut legal: String = name.chars().map(|c| if is_legal(c) { c } else { '_' }).collect();
    if !legal.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        legal.insert(0, '_');
    }
    legal.truncate(MAX_TOOL_NAME);
    legal
}

/// The JSON Schema of a `Schema` of Customer Engagement Suite: types in capitals, `nullable`, `ref` and `defs`.
fn ces_to_json_schema(schema: Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema };
    if depth > MOST_DEPTH {
        return json!({});
    }
    let mut made = Object::new();
    let mut is_nullable = false;
    for (name, value) in members {
        match (&*name, value) {
            ("type", Value::String(kind)) if kind == "TYPE_UNSPECIFIED" => {}
            ("type", Value::String(kind)) => {
                made.insert("type", Value::from(kind.to_ascii_lowercase()));
            }
            ("nullable", value) => is_nullable = value.as_bool() == Some(true),
            ("ref", Value::String(to)) => {
                made.insert("$ref", Value::from(to.replacen("#/defs/", "#/$defs/", 1)));
            }
            ("defs", Value::Object(members)) => {
                drop(made.insert("$defs", convert_named_schemas(members, depth)));
            }
            ("properties", Value::Object(members)) => {
                made.insert("properties", convert_named_schemas(members, depth));
            }
            ("prefixItems" | "prefix_items" | "anyOf" | "any_of", Value::Array(items)) => {
                let items =
                    items.into_iter().map(|item| ces_to_json_schema(item, depth + 1)).collect();
                made.insert(camel_case(&name), Value::Array(items));
            }
            ("items" | "additionalProperties" | "additional_properties", value) => {
                made.insert(camel_case(&name), ces_to_json_schema(value, depth + 1));
            }
            // An int64 is a text in the JSON of protocol buffers.
            ("minItems" | "maxItems" | "min_items" | "max_items", Value::String(text)) => {
                let number = Value::parse(&text).unwrap_or(Value::String(text));
                made.insert(camel_case(&name), number);
            }
            (_, value) => drop(made.insert(camel_case(&name), value)),
        }
    }
    if is_nullable && let Some(kind) = made.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
    }
    Value::Object(made)
}

fn convert_named_schemas(members: Object, depth: usize) -> Value {
    let members = members.into_iter();
    Value::Object(
        members.map(|(name, value)| (name, ces_to_json_schema(value, depth + 1))).collect(),
    )
}

/// A name in the spelling of JSON Schema.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        made.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        made.push_str(letters.as_str());
    }
    made
}

/// The depth limit: no person writes deeper schemas.
const MOST_DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_of_ces_becomes_a_json_schema() {
        let schema = json!({
            "type": "OBJECT",
            "required": ["zip_code"],
            "properties": {
                "zip_code": {"type": "STRING", "nullable": true},
                "tags": {"type": "ARRAY", "items": {"ref": "#/defs/Tag"}, "min_items": "1"},
            },
            "defs": {"Tag": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}},
        });
        let expected = json!({
            "type": "object",
            "required": ["zip_code"],
            "properties": {
                "zip_code": {"type": ["string", "null"]},
                "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}, "minItems": 1},
            },
            "$defs": {"Tag": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        });
        assert_eq!(ces_to_json_schema(schema, 0), expected);
    }
}

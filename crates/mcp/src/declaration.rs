//! Tools as MCP declares them: the dialect's declaration with a title and all four annotations, because a client assumes
//! the worst for a missing one.

use callgate_config::{McpConfig, McpSchemas};
use callgate_dialect::Dialect;
use callgate_tool::{Effect, Tool, Value};
use rmcp::model;

pub(crate) fn tool_declaration(tool: &Tool, schemas: McpSchemas) -> Value {
    let mut declaration = Dialect::Mcp.declaration(tool);
    if let (McpSchemas::Whole, Some(members)) = (schemas, declaration.as_object_mut()) {
        let mut schema = tool.input_schema.to_value();
        if let Some(keywords) = schema.as_object_mut().filter(|it| !it.contains_key("$schema")) {
            keywords.insert("$schema", "https://json-schema.org/draft/2020-12/schema".into());
        }
        members.insert("inputSchema", schema);
    }
    declaration
}

/// Marks in a value's schema that clients repeat the value in a header. Clients follow no references, so references on the way
/// to the value are replaced by their targets. A value whose schema is not declared there, or has several types, is not
/// repeated.
fn mark_repeated_in_header(schema: &mut Value, definitions: &Value, path: &[String], header: &str) {
    // Schemas off the way to the value stay as they are declared.
    let mut reached = schema.clone();
    let mut at = &mut reached;
    for name in path {
        let Some(member) = at.get_mut("properties").and_then(|them| them.get_mut(name.as_str()))
        else {
            return;
        };
        at = member;
        for _ in 0..MOST_HOPS {
            let Some(target) = merged_reference_target(at, definitions) else { break };
            *at = target;
        }
    }
    let is_primitive =
        matches!(at.get("type").and_then(Value::as_str), Some("boolean" | "integer" | "string"));
    if let Some(members) = at.as_object_mut().filter(|_| is_primitive) {
        members.insert("x-mcp-header", header.into());
        *schema = reached;
    }
}

/// The definition that a schema refers to, merged with the keywords beside the reference.
fn merged_reference_target(schema: &Value, definitions: &Value) -> Option<Value> {
    let members = schema.as_object()?;
    let name = members.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    let mut target = definitions.get(name)?.as_object()?.clone();
    let beside = members.iter().filter(|(keyword, _)| *keyword != "$ref");
    target.extend(beside.map(|(keyword, value)| (keyword.clone(), value.clone())));
    Some(Value::Object(target))
}

/// The longest chain of references in real descriptions.
const MOST_HOPS: usize = 8;

/// The declaration of a tool, with the values that clients repeat in headers; `None` if the library does not accept the
/// declaration.
pub(crate) fn library_tool_declaration(
    tool: &Tool,
    listing: &McpConfig,
    headers: &[(Vec<String>, String)],
) -> Option<model::Tool> {
    let mut declaration = tool_declaration(tool, listing.schemas);
    if let Some(schema) = declaration.get_mut("inputSchema").filter(|_| !headers.is_empty()) {
        let definitions = schema.get("$defs").cloned().unwrap_or_default();
        for (path, header) in headers {
            mark_repeated_in_header(schema, &definitions, path, header);
        }
    }
    let mut declared: model::Tool = serde_json::from_str(&declaration.to_string()).ok()?;
    let said = listing.tools.get(tool.name.as_str()).cloned().unwrap_or_default();
    declared.title = said.title.or_else(|| tool.title.clone());
    let is_read = said.read_only.unwrap_or(tool.effect == Effect::Read);
    let annotations = declared.annotations.get_or_insert_default();
    annotations.read_only_hint = Some(is_read);
    // POST and PATCH may do anything; PUT and DELETE replace what there was (RFC 9110 §9.2).
    annotations.destructive_hint = Some(said.destructive.unwrap_or(!is_read));
    annotations.idempotent_hint =
        Some(said.idempotent.unwrap_or(is_read || tool.effect != Effect::Write));
    annotations.open_world_hint = Some(said.open_world.unwrap_or(true));
    Some(declared)
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Schema, ToolName, json};

    use super::*;

    #[track_caller]
    fn check(effect: Effect, expected: [bool; 4]) {
        let schema = Schema::new(json!({"type": "object", "properties": {}}));
        let tool = Tool::new(ToolName::new("pet").unwrap(), "A pet".to_owned(), schema, effect);
        let hints = library_tool_declaration(&tool, &McpConfig::default(), &[])
            .unwrap()
            .annotations
            .unwrap();
        let hints = [
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        ];
        assert_eq!(hints, expected.map(Some), "{effect:?}");
    }

    #[test]
    fn a_declaration_has_every_annotation_of_its_effect() {
        check(Effect::Read, [true, false, true, true]);
        check(Effect::Idempotent, [false, true, true, true]);
        check(Effect::Write, [false, true, false, true]);
    }

    #[test]
    fn schemas_are_declared_whole_if_configured_and_portable_otherwise() {
        let schema = json!({"type": "object", "$defs": {"a": {"$anchor": "x"}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}});
        let name = ToolName::new("pet").unwrap();
        let tool = Tool::new(name, "A pet".to_owned(), Schema::new(schema), Effect::Read);
        let portable = tool_declaration(&tool, McpSchemas::Portable)["inputSchema"].clone();
        let whole = tool_declaration(&tool, McpSchemas::Whole)["inputSchema"].clone();
        for keyword in ["$schema", "$defs", "if", "then"] {
            let is_there = |schema: &Value| schema.get(keyword).is_some();
            assert_eq!((is_there(&portable), is_there(&whole)), (false, true), "{keyword}");
        }
    }

    #[test]
    fn argument_headers_are_declared_on_members_behind_references() {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": {"$ref": "#/$defs/Region"},
                "order": {"$ref": "#/$defs/Order"},
                "other": {"$ref": "#/$defs/Order"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "$defs": {
                "Region": {"type": "string", "enum": ["north", "south"]},
                "Order": {"type": "object", "properties": {"tenant": {"type": "integer"}, "choice": {"type": ["string", "null"]}}},
            },
        });
        let name = ToolName::new("pet").unwrap();
        let tool = Tool::new(name, "A pet".to_owned(), Schema::new(schema), Effect::Read);
        let paths = ["region", "order.tenant", "order.choice", "order.nothing", "tags"];
        let headers =
            paths.map(|path| (path.split('.').map(str::to_owned).collect(), format!("H-{path}")));
        for schemas in [McpSchemas::Portable, McpSchemas::Whole] {
            let mut listing = McpConfig::default();
            listing.schemas = schemas;
            let declared = library_tool_declaration(&tool, &listing, &headers).unwrap();
            let schema = serde_json::to_value(&*declared.input_schema).unwrap();
            let at =
                |place: &str| schema.pointer(place).and_then(|it| it.as_str()).map(str::to_owned);
            assert_eq!(at("/properties/region/x-mcp-header").as_deref(), Some("H-region"));
            assert_eq!(at("/properties/region/type").as_deref(), Some("string"), "{schema}");
            let tenant = "/properties/order/properties/tenant/x-mcp-header";
            assert_eq!(at(tenant).as_deref(), Some("H-order.tenant"), "{schema}");
            // A client would refuse the tool for a mark in the wrong place.
            assert_eq!(schema.to_string().matches("x-mcp-header").count(), 2, "{schema}");
        }
    }

    #[test]
    fn configured_titles_and_annotations_replace_those_of_a_tool() {
        let schema = Schema::new(json!({"type": "object", "properties": {}}));
        let name = ToolName::new("find").unwrap();
        let tool = Tool::new(name, "Finds pets by many words".to_owned(), schema, Effect::Write);
        let tool = tool.with_title(Some("Find pets".to_owned()));
        let mut listing = McpConfig::default();
        let own = library_tool_declaration(&tool, &listing, &[]).unwrap();
        assert_eq!(own.title.as_deref(), Some("Find pets"));
        let said = listing.tools.entry("find".to_owned()).or_default();
        (said.title, said.read_only) = (Some("Search".to_owned()), Some(true));
        said.open_world = Some(false);
        let told = library_tool_declaration(&tool, &listing, &[]).unwrap();
        let hints = told.annotations.unwrap();
        assert_eq!(told.title.as_deref(), Some("Search"));
        assert_eq!((hints.read_only_hint, hints.destructive_hint), (Some(true), Some(false)));
        assert_eq!((hints.idempotent_hint, hints.open_world_hint), (Some(true), Some(false)));
    }
}

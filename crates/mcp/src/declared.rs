//! Tools as MCP declares them: the dialect's declaration with a title and all four annotations, since a client takes one
//! that is missing for the worst.

use callgate_config::McpSchemas;
use callgate_dialect::Dialect;
use callgate_tool::{Effect, Tool, Value};
use rmcp::model;

/// A declaration as JSON.
pub(crate) fn declaration(tool: &Tool, schemas: McpSchemas) -> Value {
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

/// One declaration, with the arguments that clients repeat in headers; none for a tool whose declaration the library does not take.
pub(crate) fn declared(
    tool: &Tool,
    schemas: McpSchemas,
    headers: &[(String, String)],
) -> Option<model::Tool> {
    let mut declaration = declaration(tool, schemas);
    let arguments = declaration.get_mut("inputSchema").and_then(|it| it.get_mut("properties"));
    if let Some(arguments) = arguments {
        for (argument, header) in headers {
            let schema = arguments.get_mut(argument.as_str()).and_then(Value::as_object_mut);
            schema.map(|schema| schema.insert("x-mcp-header", header.as_str().into()));
        }
    }
    let mut declared: model::Tool = serde_json::from_str(&declaration.to_string()).ok()?;
    let annotations = declared.annotations.get_or_insert_default();
    annotations.read_only_hint = Some(tool.effect == Effect::Read);
    // POST and PATCH may do anything; PUT and DELETE replace what there was (RFC 9110 §9.2).
    annotations.destructive_hint = Some(tool.effect != Effect::Read);
    annotations.idempotent_hint = Some(tool.effect != Effect::Write);
    annotations.open_world_hint = Some(true);
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
        let hints = declared(&tool, McpSchemas::Portable, &[]).unwrap().annotations.unwrap();
        let hints = [
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        ];
        assert_eq!(hints, expected.map(Some), "{effect:?}");
    }

    #[test]
    fn every_annotation_is_said() {
        check(Effect::Read, [true, false, true, true]);
        check(Effect::Idempotent, [false, true, true, true]);
        check(Effect::Write, [false, true, false, true]);
    }

    #[test]
    fn a_schema_is_whole_where_that_is_asked_for() {
        let schema = json!({"type": "object", "$defs": {"a": {"$anchor": "x"}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}});
        let name = ToolName::new("pet").unwrap();
        let tool = Tool::new(name, "A pet".to_owned(), Schema::new(schema), Effect::Read);
        let portable = declaration(&tool, McpSchemas::Portable)["inputSchema"].clone();
        let whole = declaration(&tool, McpSchemas::Whole)["inputSchema"].clone();
        for keyword in ["$schema", "$defs", "if", "then"] {
            let is_there = |schema: &Value| schema.get(keyword).is_some();
            assert_eq!((is_there(&portable), is_there(&whole)), (false, true), "{keyword}");
        }
    }
}

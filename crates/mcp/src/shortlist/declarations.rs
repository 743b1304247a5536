//! The declarations of the four tools that are listed instead of many. The first one says what can be found.

use std::collections::BTreeMap;

use callgate_executor::Executor;
use callgate_tool::{Value, json};
use rmcp::model;

use super::Standing;
use crate::host::Caller;

/// The declarations of the four tools; they name no toolset that the caller does not see.
pub(crate) fn standing_declarations(executor: &Executor, caller: &Caller) -> Vec<model::Tool> {
    let rows = [
        (Standing::Find, find_declaration(&tool_counts_text(executor, caller))),
        (Standing::Describe, describe_declaration()),
        (
            Standing::CallRead,
            call_declaration(
                "Calls a tool that only reads, by its name. Refuses one that changes something.",
            ),
        ),
        (
            Standing::CallWrite,
            call_declaration("Calls any tool by its name, one that changes something too."),
        ),
    ];
    let rows = rows.into_iter();
    rows.filter_map(|(standing, (words, schema))| standing_tool(standing, &words, &schema))
        .collect()
}

fn standing_tool(standing: Standing, description: &str, schema: &Value) -> Option<model::Tool> {
    let is_write = standing == Standing::CallWrite;
    let is_open = matches!(standing, Standing::CallRead | Standing::CallWrite);
    let declaration = json!({
        "name": (standing.as_str()),
        "description": description,
        "inputSchema": (schema.clone()),
        "annotations": {
            "readOnlyHint": (!is_write), "destructiveHint": is_write,
            "idempotentHint": (!is_write), "openWorldHint": is_open,
        },
    });
    serde_json::from_str(&declaration.to_string()).ok()
}

/// The number of tools, for each toolset if there are several.
fn tool_counts_text(executor: &Executor, caller: &Caller) -> String {
    let mut numbers = BTreeMap::new();
    for entry in executor.entries().filter(|entry| caller.can_list_toolset(entry.toolset())) {
        *numbers.entry(entry.toolset()).or_insert(0_usize) += 1;
    }
    let sum: usize = numbers.values().sum();
    let named = numbers.iter().filter(|(name, _)| !name.is_empty()).take(MOST_TOOLSETS);
    let named: Vec<String> = named.map(|(name, number)| format!("{name} ({number})")).collect();
    if named.is_empty() {
        return format!("{sum} tools");
    }
    format!("{sum} tools of the toolsets {}", named.join(", "))
}

fn find_declaration(catalog: &str) -> (String, Value) {
    let description = format!(
        "Finds tools by words, among {catalog}. Answers the best with what they need and the tools that answer that."
    );
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What a tool is wanted for, in words: `refund an order`"},
            "toolsets": {"type": "array", "items": {"type": "string"}, "description": "Only tools of these toolsets"},
            "effects": {
                "type": "array", "items": {"type": "string", "enum": ["read", "idempotent", "write"]},
                "description": "Only tools that do one of these: change nothing, replace, change something at each call",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "The most that is found; 8 unless given"},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    (description, schema)
}

fn describe_declaration() -> (String, Value) {
    let description = "Describes tools: what each is for, the schema of its arguments, that of its answer, and its effect.";
    let schema = json!({
        "type": "object",
        "properties": {"names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20, "description": "The names, as `find_tools` answers them"}},
        "required": ["names"],
        "additionalProperties": false,
    });
    (description.to_owned(), schema)
}

fn call_declaration(description: &str) -> (String, Value) {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The name of the tool"},
            "args": {"type": "object", "description": "Its arguments, as `describe_tools` describes them", "additionalProperties": true},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    (description.to_owned(), schema)
}

/// The most toolsets that are named; more would fill a prompt.
const MOST_TOOLSETS: usize = 30;

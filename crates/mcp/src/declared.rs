//! Tools as MCP declares them: the dialect's declaration with a title and all four annotations, since a client takes one
//! that is missing for the worst.

use callgate_dialect::Dialect;
use callgate_tool::{Effect, Tool};
use rmcp::model;

/// One declaration; none for a tool whose declaration the library does not take.
pub(crate) fn declared(tool: &Tool) -> Option<model::Tool> {
    let declaration = Dialect::Mcp.declaration(tool).to_string();
    let mut declared: model::Tool = serde_json::from_str(&declaration).ok()?;
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
        let hints = declared(&tool).unwrap().annotations.unwrap();
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
}

//! OpenAI Chat Completions: `{"type": "function", "function": {"name", "description", "parameters"}}`, not strict.

use callgate_tool::{Tool, Value, json};

/// One declaration.
pub(crate) fn declaration(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name.as_str(),
            "description": tool.description,
            "parameters": tool.input_schema.to_value(),
        },
    })
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Effect, Schema, ToolName};

    use super::*;

    #[test]
    fn a_declaration_has_the_shape_of_chat_completions() {
        let schema = Schema::new(json!({
            "type": "object", "properties": {"petId": {"type": "integer"}}, "required": ["petId"],
        }));
        let name = ToolName::new("petstore-getPet").unwrap();
        let tool = Tool::new(name, "Return a pet".into(), schema, Effect::Read);
        assert_eq!(
            declaration(&tool),
            json!({"type": "function", "function": {
                "name": "petstore-getPet",
                "description": "Return a pet",
                "parameters": {
                    "type": "object",
                    "properties": {"petId": {"type": "integer"}},
                    "required": ["petId"],
                },
            }})
        );
    }
}

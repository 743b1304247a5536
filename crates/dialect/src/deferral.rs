//! Declarations that a provider hides from the model until the model searches for them, and the search tool. Anthropic:
//! `tool_search_tool_bm25_20251119` with `defer_loading`
//! (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>);
//! `OpenAI` Responses: `tool_search` with `defer_loading`
//! (<https://developers.openai.com/api/docs/guides/tools-tool-search>).

use callgate_tool::{Tool, Value};

use crate::{Form, dialect::Dialect};

impl Dialect {
    /// The tool by which a model of this provider searches deferred tools; `None` if the provider has none. Declare it
    /// beside them.
    ///
    /// ```
    /// use callgate_dialect::Dialect;
    ///
    /// assert_eq!(Dialect::Responses.search_tool().unwrap()["type"], "tool_search");
    /// assert!(Dialect::Gemini.search_tool().is_none());
    /// ```
    pub fn search_tool(self) -> Option<Value> {
        (self.format().search_tool)()
    }

    /// The declaration, in a form, of a tool that the model sees only after a search for it; `None` if the provider has no
    /// search.
    pub fn deferred_declaration(self, form: Form, tool: &Tool) -> Option<Value> {
        self.search_tool()?;
        let mut declaration = self.declaration_in(form, tool);
        declaration.as_object_mut()?.insert("defer_loading", true.into());
        Some(declaration)
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Effect, Schema, ToolName, json};

    use super::*;

    #[test]
    fn only_providers_with_a_search_have_deferred_declarations() {
        let schema = Schema::new(json!({"type": "object", "properties": {}}));
        let tool =
            Tool::new(ToolName::new("pet").unwrap(), "A pet".to_owned(), schema, Effect::Read);
        for &dialect in Dialect::ALL {
            let deferred = dialect.deferred_declaration(Form::Usual, &tool);
            let mut expected = dialect.declaration(&tool);
            expected.as_object_mut().unwrap().insert("defer_loading", true.into());
            let is_search = matches!(dialect, Dialect::Anthropic | Dialect::Responses);
            assert_eq!(deferred, is_search.then_some(expected), "{dialect:?}");
        }
    }
}

//! The tool `find_tools`, which is declared in place of many. What it finds is declared from the next request on, because the
//! conversation names it, so that arguments are checked by the provider as those of any tool.

use callgate_call::wording::turn as wording;
use callgate_config::AgentSearch as ToolSearch;
use callgate_executor::{Entry, Executor, Found, Search};
use callgate_tool::{Arguments, Effect, Outcome, Schema, Tool, ToolName, Value, json};

#[derive(Debug)]
pub(crate) struct Finder(Tool);

impl Finder {
    /// The tool that finds the others, if the model has to search among this many. A tool of its name leaves no room for it.
    pub(crate) fn new(search: ToolSearch, executor: &Executor, n_tools: usize) -> Option<Self> {
        if !search.is_used_among(n_tools) || executor.find(NAME).is_some() {
            return None;
        }
        let description = format!(
            "Finds tools by words, among {n_tools} tools. What it finds can be called from the next message on."
        );
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What a tool is wanted for, in words: `refund an order`"},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let name = ToolName::new(NAME).ok()?;
        Some(Self(Tool::new(name, description, Schema::new(schema), Effect::Read)))
    }

    pub(crate) fn tool(&self) -> &Tool {
        &self.0
    }

    pub(crate) fn has_name(&self, name: &str) -> bool {
        name == self.0.name.as_str()
    }

    /// True if calls of this name are calls of the tool that finds the others, where no tool has the name.
    pub(crate) fn is_search_tool_name(name: &str) -> bool {
        name == NAME
    }

    /// The outcome of a search among the tools that `is_offered` takes.
    pub(crate) fn search_outcome(
        executor: &Executor,
        arguments: &Arguments,
        is_offered: impl Fn(Entry<'_>) -> bool,
    ) -> Outcome {
        let query = arguments.get("query").and_then(Value::as_str).map(str::trim);
        let Some(query) = query.filter(|query| !query.is_empty()) else {
            return Outcome::Failed(wording::no_query());
        };
        let search = Search::new(query).with_limit(MOST_FOUND);
        let matching_tools = executor.search(&search, is_offered);
        let tools = matching_tools.iter().map(Found::to_value).collect();
        json!({"tools": (Value::Array(tools))}).into()
    }
}

const NAME: &str = "find_tools";
/// The tools that one search finds.
const MOST_FOUND: usize = 8;

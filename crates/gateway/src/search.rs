//! `POST /v1/tools:search`: the tools that match a search, with their needs and products. Only tools that the caller may use
//! are ranked or named as sources.

use axum::extract::State;
use callgate_executor::{Entry, Found, Search};
use callgate_tool::{InvalidValue, Value};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    bodies::{Effect, FoundTool},
    caller::Caller,
    gateway::Gateway,
    json_body::{JsonBody, typed_body},
    problem::{Problem, ProblemKind},
};

/// Finds tools by words.
#[utoipa::path(
    post, path = "/v1/tools:search",
    operation_id = "searchTools", tag = "tools",
    request_body(content = SearchRequest, description = "The purpose of the tool"),
    responses(
        (status = 200, description = "The tools that fit best", body = FoundTools),
        (status = 404, description = "There is no such toolset"),
    ),
)]
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    JsonBody { value, .. }: JsonBody,
) -> Result<JsonText, Problem> {
    let SearchRequest { query, limit, toolsets, effects, tags } = typed_body(value)?;
    let built = gateway.current_build();
    let sees = |entry: Entry<'_>| caller.may_use(entry.toolset());
    let is_served = |toolset: &String| {
        built.executor.entries().any(|entry| entry.toolset() == toolset && sees(entry))
    };
    if let Some(unknown) = toolsets.iter().find(|toolset| !is_served(toolset)) {
        let detail = format!("`toolsets`: expected ones that are served, got: `{unknown}`");
        return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
    }
    let search = Search::new(&query).with_limit(limit.0);
    let search = search.with_toolsets(&toolsets).with_effects(&effects).with_tags(&tags);
    let matching_tools = built.executor.search(&search, sees);
    Ok(JsonText::from_body(&FoundTools {
        tools: matching_tools.iter().map(Found::to_value).collect(),
    }))
}

#[derive(Serialize, ToSchema)]
struct FoundTools {
    /// The tools, the best first; those that answer what the best need stand beside them
    #[schema(value_type = Vec<FoundTool>, inline)]
    tools: Vec<Value>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    /// The purpose of the tool, in words
    #[serde(deserialize_with = "deserialize_query")]
    #[schema(min_length = 1, pattern = r"\S")]
    query: String,
    /// The most tools that are found
    #[serde(default)]
    #[schema(value_type = u64, minimum = 1, maximum = 100, default = 10)]
    limit: Limit,
    /// Only tools of these toolsets
    #[serde(default)]
    toolsets: Vec<String>,
    /// Only tools whose calls do one of these
    #[serde(default)]
    #[schema(value_type = Vec<Effect>, inline)]
    effects: Vec<callgate_tool::Effect>,
    /// Only tools whose operation has one of these tags
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Value")]
struct Limit(usize);

impl Default for Limit {
    fn default() -> Self {
        Self(Search::new("").limit)
    }
}

impl TryFrom<Value> for Limit {
    type Error = InvalidValue;

    fn try_from(value: Value) -> Result<Self, InvalidValue> {
        let expected = format!("a whole number from 1 to {}", Search::MOST);
        let limit = Search::limit_of(&value).map(Self);
        limit.ok_or_else(|| InvalidValue::new_showing_value("", expected, Some(&value)))
    }
}

fn deserialize_query<'de, D: Deserializer<'de>>(query: D) -> Result<String, D::Error> {
    match Value::deserialize(query)? {
        Value::String(text) if !text.trim().is_empty() => Ok(text),
        other => {
            let expected = "a text that says something";
            Err(D::Error::custom(InvalidValue::new("", expected, Some(&other))))
        }
    }
}

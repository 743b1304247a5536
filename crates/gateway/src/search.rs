//! `POST /v1/tools:search`: the tools that match a search, with their needs and products. Only tools that the caller may use
//! are ranked or named as sources.

use axum::extract::State;
use callgate_executor::{Entry, Found, Search};
use callgate_tool::{InvalidValue, Value, json};
use serde::{Deserialize, Deserializer, de::Error};
use utoipa::{IntoResponses, ToSchema};

use crate::{
    answer::JsonText,
    caller::Caller,
    described::{RefusedJson, Responses, collected, json as described},
    gateway::Gateway,
    json_body::{JsonBody, typed},
    problem::{Problem, ProblemKind},
};

/// Finds tools by words.
#[utoipa::path(
    post,
    path = "/v1/tools:search",
    operation_id = "searchTools",
    tag = "tools",
    request_body(content = SearchRequest, content_type = "application/json", description = "What a tool is wanted for"),
    responses(Answers, RefusedJson),
)]
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    JsonBody { value, .. }: JsonBody,
) -> Result<JsonText, Problem> {
    let SearchRequest { query, limit, toolsets, effects } = typed(value)?;
    let built = gateway.built();
    let sees = |entry: Entry<'_>| caller.may_use(entry.toolset());
    let is_served = |toolset: &String| {
        built.executor.entries().any(|entry| entry.toolset() == toolset && sees(entry))
    };
    if let Some(unknown) = toolsets.iter().find(|toolset| !is_served(toolset)) {
        let detail = format!("`toolsets`: expected ones that are served, got: `{unknown}`");
        return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
    }
    let search = Search::new(&query).with_limit(limit.0);
    let search = search.with_toolsets(&toolsets).with_effects(&effects);
    let found = built.executor.search(&search, sees);
    let tools: Vec<Value> = found.iter().map(Found::to_value).collect();
    Ok(JsonText(json!({"tools": tools}).to_string()))
}

/// The responses in the form for `/openapi.json`.
#[derive(Debug)]
struct Answers;

impl IntoResponses for Answers {
    fn responses() -> Responses {
        let absent = utoipa::openapi::Response::new("There is no such toolset");
        collected([("200", described("The tools that fit best", "FoundTools")), ("404", absent)])
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    /// What a tool is wanted for, in words
    #[serde(deserialize_with = "query")]
    #[schema(min_length = 1, pattern = r"\S")]
    query: String,
    /// The most that is found
    #[serde(default)]
    #[schema(value_type = u64, minimum = 1, maximum = 100, default = 10)]
    limit: Limit,
    /// Only tools of these toolsets
    #[serde(default)]
    toolsets: Vec<String>,
    /// Only tools whose calls do one of these
    #[serde(default, deserialize_with = "effects")]
    #[schema(value_type = Vec<Effect>, inline)]
    effects: Vec<callgate_tool::Effect>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Value")]
struct Limit(usize);

/// What a call does to the service
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effect {
    Idempotent,
    Read,
    Write,
}

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
        limit.ok_or_else(|| InvalidValue::setting("", expected, Some(&value)))
    }
}

fn query<'de, D: Deserializer<'de>>(query: D) -> Result<String, D::Error> {
    match Value::deserialize(query)? {
        Value::String(text) if !text.trim().is_empty() => Ok(text),
        other => {
            let expected = "a text that says something";
            Err(D::Error::custom(InvalidValue::new("", expected, Some(&other))))
        }
    }
}

fn effects<'de, D: Deserializer<'de>>(effects: D) -> Result<Vec<callgate_tool::Effect>, D::Error> {
    let effects = Vec::<Effect>::deserialize(effects)?.into_iter().map(|effect| match effect {
        Effect::Idempotent => callgate_tool::Effect::Idempotent,
        Effect::Read => callgate_tool::Effect::Read,
        Effect::Write => callgate_tool::Effect::Write,
    });
    Ok(effects.collect())
}

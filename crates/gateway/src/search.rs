//! `POST /v1/tools:search`: the tools that match a search, with their needs and products. Only tools that the caller may use
//! are ranked or named as sources.

use axum::extract::State;
use callgate_executor::{Entry, Found, Search};
use callgate_tool::{Effect, Value, json};
use utoipa::IntoResponses;

use crate::{
    answer::JsonText,
    caller::Caller,
    calls::{wrong, wrong_setting},
    described::{RefusedJson, Responses, collected, json as described},
    gateway::Gateway,
    json_body::{JsonBody, malformed},
    problem::{Problem, ProblemKind},
};

/// Finds tools by words.
#[utoipa::path(
    post,
    path = "/v1/tools:search",
    operation_id = "searchTools",
    tag = "tools",
    request_body(content = ref("#/components/schemas/SearchRequest"), content_type = "application/json", description = "What a tool is wanted for"),
    responses(Answers, RefusedJson),
)]
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    JsonBody { value, .. }: JsonBody,
) -> Result<JsonText, Problem> {
    let Question { text, limit, toolsets, effects } = Question::read(value)?;
    let built = gateway.built();
    let sees = |entry: Entry<'_>| caller.may_use(entry.toolset());
    let is_served = |toolset: &String| {
        built.executor.entries().any(|entry| entry.toolset() == toolset && sees(entry))
    };
    if let Some(unknown) = toolsets.iter().find(|toolset| !is_served(toolset)) {
        let detail = format!("`toolsets`: expected ones that are served, got: `{unknown}`");
        return Err(Problem::new(ProblemKind::AbsentResource, detail));
    }
    let search = Search::new(&text).with_limit(limit);
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

/// The body of a search.
#[derive(Debug)]
struct Question {
    text: String,
    limit: usize,
    toolsets: Vec<String>,
    effects: Vec<Effect>,
}

impl Question {
    fn read(body: Value) -> Result<Self, Problem> {
        let Value::Object(mut members) = body else {
            return Err(wrong("the body", "an object", Some(&body)));
        };
        let text = match members.remove("query") {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            other => return Err(wrong("query", "a text that says something", other.as_ref())),
        };
        let limit = limit(members.remove("limit"))?;
        let toolsets = texts("toolsets", members.remove("toolsets"))?;
        let effects = texts("effects", members.remove("effects"))?;
        let effects = effects.iter().map(|name| effect(name)).collect::<Result<_, _>>()?;
        match members.keys().next() {
            None => Ok(Self { text, limit, toolsets, effects }),
            Some(key) => Err(malformed(format!(
                "expected the keys `query`, `limit`, `toolsets`, `effects`, got: `{key}`"
            ))),
        }
    }
}

fn limit(value: Option<Value>) -> Result<usize, Problem> {
    let Some(value) = value else { return Ok(Search::new("").limit) };
    let limit = Search::limit_of(&value);
    let expected = || format!("a whole number from 1 to {}", Search::MOST);
    limit.ok_or_else(|| malformed(format!("`limit`: expected {}, got: {value}", expected())))
}

fn texts(at: &str, value: Option<Value>) -> Result<Vec<String>, Problem> {
    let texts = |values: Vec<Value>| {
        let text = |value| match value {
            Value::String(text) => Ok(text),
            other => Err(wrong_setting(at, "a list of texts", Some(&other))),
        };
        values.into_iter().map(text).collect()
    };
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => texts(values),
        other => Err(wrong_setting(at, "a list of texts", other.as_ref())),
    }
}

fn effect(name: &str) -> Result<Effect, Problem> {
    let known = [Effect::Idempotent, Effect::Read, Effect::Write];
    let meant = known.into_iter().find(|effect| effect.as_str() == name);
    meant.ok_or_else(|| {
        malformed(format!("`effects`: expected `idempotent`, `read` or `write`, got: `{name}`"))
    })
}

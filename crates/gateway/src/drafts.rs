//! `POST /v1/drafts`: a description drafted from examples of requests. Nothing is sent and no file is read, so that every caller
//! that is let in may draft.

use std::collections::BTreeMap;

use axum::extract::State;
use callgate_draft::{Case, Draft, DraftOptions, Exchange, Given, Guess, draft};
use callgate_openapi::Limits;
use callgate_tool::{InvalidValue, Number, Object, Value};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    caller::Caller,
    gateway::Gateway,
    json_body::{JsonBody, typed_body},
    problem::{Problem, ProblemKind},
};

/// Drafts an OpenAPI description from examples of requests, with the evidence of each guess. No request is sent.
#[utoipa::path(
    post, path = "/v1/drafts",
    operation_id = "draftDescription", tag = "tools",
    request_body(content = DraftRequest, description = "The examples"),
    responses(
        (status = 200, description = "The draft, without the secrets of the examples", body = DraftBody),
        (status = 422, description = "An example is no request to a service, or `merge` is no description"),
    ),
)]
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    JsonBody { value, .. }: JsonBody,
) -> Result<JsonText, Problem> {
    let permit = gateway.listing_permit(&caller).await?;
    // Examples that are compared with each other take their time; other requests are answered meanwhile. Whoever hangs up has the
    // permit until the draft is made.
    let drafted = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        draft_description(typed_body(value)?)
    });
    drafted.await.unwrap_or_else(|_| Err(undraftable("the examples cannot be read")))
}

fn draft_description(request: DraftRequest) -> Result<JsonText, Problem> {
    let DraftRequest { exchanges, prompt, merge } = request;
    if exchanges.len() > MOST_EXCHANGES {
        let detail =
            format!("`exchanges`: expected at most {MOST_EXCHANGES}, got: {}", exchanges.len());
        return Err(undraftable(&detail));
    }
    let merge = merge.as_deref().map(read_description).transpose()?;
    let examples = exchanges.iter().enumerate().map(|(at, example)| example.read(at));
    let examples = examples.collect::<Result<Vec<_>, _>>()?;
    let draft = draft(examples, &DraftOptions { prompt, merge })
        .map_err(|error| undraftable(&error.to_string()))?;
    Ok(JsonText::from_body(&DraftBody::from(draft)))
}

fn read_description(text: &str) -> Result<Value, Problem> {
    let read = callgate_openapi::read(text.as_bytes(), &Limits::default().text);
    let value = read.map(|read| read.value.to_value()).ok().filter(Value::is_object);
    value.ok_or_else(|| undraftable("`merge`: expected a description as JSON or YAML"))
}

fn undraftable(detail: &str) -> Problem {
    Problem::new(ProblemKind::UNDRAFTABLE, detail.to_owned())
}

/// More examples of one draft say nothing more; each is compared with others.
const MOST_EXCHANGES: usize = 500;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DraftRequest {
    /// Requests to the service, and what came back
    #[schema(inline, min_items = 1, max_items = 500)]
    exchanges: Vec<ExchangeBody>,
    /// The purpose of the tool, in words
    #[serde(default)]
    prompt: String,
    /// The text of a description to which the draft is added, as JSON or YAML; what stands there stays
    #[serde(default)]
    merge: Option<String>,
}

/// A request to a service, and what came back
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ExchangeBody {
    /// The method
    #[serde(default = "usual_method")]
    #[schema(pattern = "^(DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE)$", default = "GET")]
    method: String,
    /// The address; `{petId}` may stand for a part of the path
    #[schema(pattern = "^https?://")]
    url: String,
    /// The headers of the request
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The body of the request, or the values of path and query where the method has no body; a text is the body as it stands
    #[serde(default)]
    input: Value,
    /// The body of the response; a text is the body as it stands
    #[serde(default)]
    output: Value,
    /// The status of the response
    #[serde(default = "usual_status", deserialize_with = "deserialize_status")]
    #[schema(minimum = 100, maximum = 599, default = 200)]
    status: u16,
}

fn usual_method() -> String {
    "GET".to_owned()
}

fn usual_status() -> u16 {
    200
}

/// A whole number, however it is written: `200.0` is one, too (JSON Schema 2020-12 §6.1.1 of Validation).
fn deserialize_status<'de, D: Deserializer<'de>>(status: D) -> Result<u16, D::Error> {
    let value = Value::deserialize(status)?;
    let number = value.as_number();
    let status = (100..600)
        .find(|status| number.is_some_and(|number| number.is_equal_to(&Number::from(*status))));
    let invalid = || InvalidValue::new("", "a status from 100 to 599", Some(&value));
    status.ok_or_else(|| D::Error::custom(invalid()))
}

impl ExchangeBody {
    fn read(&self, at: usize) -> Result<Exchange, Problem> {
        let headers: Vec<_> = self.headers.clone().into_iter().collect();
        let (input, output) = (body_text(&self.input), body_text(&self.output));
        let given = Given {
            method: &self.method,
            url: &self.url,
            headers: &headers,
            input: input.as_deref(),
            output: output.as_deref(),
            status: self.status,
        };
        let place = format!("exchanges[{at}]");
        Exchange::from_given_at(given, &place).map_err(|error| undraftable(&error.to_string()))
    }
}

/// The text of a body; none for `null`.
fn body_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

#[derive(Serialize, ToSchema)]
struct DraftBody {
    /// The description, OpenAPI 3.1 unless `merge` has another version
    #[schema(value_type = Object)]
    description: Value,
    /// What no example proves
    #[schema(inline)]
    guesses: Vec<GuessBody>,
    /// Each example that can be made by a call of the drafted tools
    #[schema(inline)]
    fixtures: Vec<FixtureBody>,
}

#[derive(Serialize, ToSchema)]
struct GuessBody {
    /// The place in the description (RFC 6901)
    at: String,
    guess: String,
    /// The number of samples that show it
    seen: usize,
    /// The number of samples that could show it
    of: usize,
    /// What settles it
    settle: &'static str,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FixtureBody {
    tool: String,
    #[schema(value_type = Object)]
    arguments: Object,
    /// The status of the response; none where no response was there
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<u16>,
    /// The media type of the response
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    media_type: Option<String>,
    /// The body of the response, with `****` for what looks secret
    body: String,
    /// The example that it was made from
    source: String,
}

impl From<Draft> for DraftBody {
    fn from(draft: Draft) -> Self {
        Self {
            description: draft.description,
            guesses: draft.guesses.into_iter().map(GuessBody::from).collect(),
            fixtures: draft.cases.into_iter().map(FixtureBody::from).collect(),
        }
    }
}

impl From<Guess> for GuessBody {
    fn from(Guess { pointer, text, seen, total, settle, .. }: Guess) -> Self {
        Self { at: pointer, guess: text, seen, of: total, settle }
    }
}

impl From<Case> for FixtureBody {
    fn from(case: Case) -> Self {
        let Case { tool, arguments, status, media_type, body, place, .. } = case;
        Self { tool, arguments, status, media_type, body, source: place }
    }
}

//! The paths of Customer Engagement Suite and Dialogflow CX, whose last segment ends with a colon and a verb:
//! `…/sessions/{id}:runSession`, `…/sessions/{id}:detectIntent`. Other modules carry out the verbs.

use axum::{
    extract::{FromRequestParts, Path, State},
    response::{IntoResponse, Response},
};
use callgate_tool::{Object, Value};
use http::{HeaderMap, HeaderValue, header, request::Parts};

use crate::{
    caller::Caller,
    described::{OfApp, Turn},
    gateway::Gateway,
    json_body::{JsonBody, malformed},
    path_name::PathName,
    problem::{Problem, ProblemKind},
    runs::{Run, is_of_dialogflow},
};

/// The parts of a path below an app, and the verb.
#[derive(Debug)]
pub(crate) struct AppPath {
    project: String,
    location: String,
    app: String,
    /// The session or the toolset; `None` for the app itself.
    pub(crate) below: Option<String>,
    pub(crate) verb: String,
}

impl<S: Send + Sync> FromRequestParts<S> for AppPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Path(segments) = path.map_err(|_| {
            Problem::new(ProblemKind::MALFORMED_PATH, "expected names in percent-encoded UTF-8")
        })?;
        let mut segments: Vec<_> = segments.into_iter().map(|(_, segment)| segment).collect();
        let last = segments.pop().unwrap_or_default();
        let (last, verb) = last.rsplit_once(':').ok_or_else(unknown)?;
        segments.push(last.to_owned());
        let verb = verb.to_owned();
        let mut segments = segments.into_iter();
        let (Some(project), Some(location), Some(app)) =
            (segments.next(), segments.next(), segments.next())
        else {
            return Err(unknown());
        };
        // Only the session of `environments/{environment}/sessions/{session}` matters.
        Ok(Self { project, location, app, below: segments.last(), verb })
    }
}

impl AppPath {
    /// The name of the toolset's resource.
    pub(crate) fn toolset(&self) -> String {
        let Self { project, location, app, .. } = self;
        let toolset = self.below.as_deref().unwrap_or_default();
        format!("projects/{project}/locations/{location}/apps/{app}/toolsets/{toolset}")
    }

    /// The path's values that `$context` reads.
    pub(crate) fn context(&self) -> Object {
        let members =
            [("project_id", &self.project), ("location", &self.location), ("app_id", &self.app)];
        members.into_iter().map(|(name, text)| (name.to_owned(), Value::from(&**text))).collect()
    }
}

/// Runs calls of a session, or takes the client's answers to those that wait.
///
/// A query's result without calls is a turn in which there is nothing to run: the answer is an empty object.
#[utoipa::path(
    post,
    path = "/v1/sessions/{id}:run",
    operation_id = "runSession",
    tag = "sessions",
    params(("id" = String, Path, description = "The session's id, of this caller alone")),
    request_body(content = ref("#/components/schemas/RunRequest"), content_type = "application/json", description = "Calls, or the client's answers, and variables"),
    responses(Turn),
)]
pub(crate) async fn run(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(name): PathName,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Response> {
    let id = match name.rsplit_once(':') {
        Some((id, "run" | "runSession")) => id.to_owned(),
        Some(_) => return Err(unknown().into_response()),
        None => return Err(not_allowed()),
    };
    let run = Run { gateway, caller, headers, id, context: Object::new() };
    run.answer(body.value).await.map_err(IntoResponse::into_response)
}

/// Runs calls of a session on the path that Customer Engagement Suite has for it.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/locations/{location}/apps/{app}/sessions/{session}:runSession",
    operation_id = "runAppSession",
    tag = "sessions",
    params(
        OfApp,
        ("session" = String, Path, description = "The session's id, of this caller alone"),
    ),
    request_body(content = ref("#/components/schemas/RunRequest"), content_type = "application/json", description = "Calls, or the client's answers, and variables"),
    responses(Turn),
)]
pub(crate) async fn run_of_app(
    State(gateway): State<Gateway>,
    caller: Caller,
    path: AppPath,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let context = path.context();
    let (Some(id), "run" | "runSession") = (path.below, &*path.verb) else { return Err(unknown()) };
    Run { gateway, caller, headers, id, context }.answer(body.value).await
}

/// Runs calls of a session, or takes the client's answer to one that waits, on the path that Dialogflow CX has for it.
///
/// A query's result without calls is a turn in which there is nothing to run: the answer is an empty object.
#[utoipa::path(
    post,
    path = "/v3/projects/{project}/locations/{location}/agents/{app}/sessions/{session}:detectIntent",
    operation_id = "detectIntent",
    tag = "sessions",
    params(
        OfApp,
        ("session" = String, Path, description = "The session's id, of this caller alone"),
    ),
    request_body(content = ref("#/components/schemas/DetectIntentRequest"), content_type = "application/json", description = "Calls, or the client's answer, and parameters"),
    responses(Turn),
)]
pub(crate) async fn detect_intent(
    State(gateway): State<Gateway>,
    caller: Caller,
    path: AppPath,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let context = path.context();
    let (Some(id), "detectIntent") = (path.below, &*path.verb) else { return Err(unknown()) };
    if !is_of_dialogflow(&body.value) {
        return Err(malformed("expected `queryInput` or `queryResult`, got none"));
    }
    Run { gateway, caller, headers, id, context }.answer(body.value).await
}

pub(crate) fn unknown() -> Problem {
    let detail = "`GET /openapi.json` lists the paths there are";
    Problem::new(ProblemKind::UNKNOWN_PATH, detail)
}

/// A session without a verb in its path takes other methods.
fn not_allowed() -> Response {
    let detail = "the header `Allow` lists the methods of this path; `:run` runs calls";
    let mut response = Problem::new(ProblemKind::METHOD_NOT_ALLOWED, detail).into_response();
    let methods = HeaderValue::from_static("GET,HEAD,PUT,PATCH,DELETE");
    response.headers_mut().insert(header::ALLOW, methods);
    response
}

//! The paths of Customer Engagement Suite and Dialogflow CX, whose last segment ends with a colon and a verb:
//! `…/sessions/{id}:runSession`, `…/sessions/{id}:detectIntent`. Other modules carry out the verbs.

use callgate_gateway::{Problem, RouteRequest, Routes};
use callgate_tool::Value;

use crate::{
    runs::{Run, is_of_dialogflow},
    tool_service,
};

/// The paths of Customer Engagement Suite and Dialogflow CX as routes of a sidecar: sessions that run calls (`:run`,
/// `:runSession`, `:detectIntent`), and tools (`:executeTool`, `:retrieveToolSchema`, `:retrieveTools`).
pub fn routes() -> Routes {
    let app = "/v1/projects/{project}/locations/{location}/apps/{app}";
    let agent = "/v3/projects/{project}/locations/{location}/agents/{app}";
    let environment = format!("{agent}/environments/{{environment}}");
    let routes = Routes::new()
        .post(&format!("{app}:executeTool"), tool_service::execute_tool)
        .post(&format!("{app}:retrieveToolSchema"), |request, body| async move {
            tool_service::tool_schema(&request, body)
        })
        .post(&format!("{app}/toolsets/{{toolset}}:retrieveTools"), |request, body| async move {
            tool_service::list_tools(&request, body)
        })
        .post(&format!("{agent}/sessions/{{id}}:detectIntent"), detect_intent)
        .post(&format!("{environment}/sessions/{{id}}:detectIntent"), detect_intent);
    let routes = ["run", "runSession"].iter().fold(routes, |routes, verb| {
        let routes = routes.post(&format!("/v1/sessions/{{id}}:{verb}"), run_session);
        routes.post(&format!("{app}/sessions/{{id}}:{verb}"), run_session)
    });
    let description = Value::parse(include_str!("routes/openapi.json")).unwrap_or_default();
    routes.with_description(description.as_object().cloned().unwrap_or_default())
}

async fn run_session(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    Run::new(request).answer_body(body).await
}

async fn detect_intent(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    if !is_of_dialogflow(&body) {
        return Err(Problem::malformed_body("expected `queryInput` or `queryResult`, got none"));
    }
    run_session(request, body).await
}

//! A sidecar with a route of the program's own, which calls a tool. Start it with
//! `cargo run -p callgate-gateway --example further_route`, then ask it:
//! `curl -H 'Content-Type: application/json' -d '{}' http://127.0.0.1:8410/v1/pets/7:greet`
#![expect(clippy::print_stderr, reason = "whoever starts it waits for its address")]

use callgate_executor::Execution;
use callgate_gateway::{
    Problem, ProblemKind, RouteRequest, Routes, ServeOptions, SessionInput, Source, serve,
};
use callgate_tool::{Content, Object, Outcome, ToolCall, Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let routes = Routes::new().post("/v1/pets/{id}:greet", greet);
    let options = ServeOptions { routes, ..ServeOptions::default() };
    serve(Source::demo(), options, |line| eprintln!("{line}")).await?;
    Ok(())
}

/// Greets a pet by the name that the service knows. The body may have a session.
async fn greet(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    let input = SessionInput::read(body.get("session").cloned())?;
    let session = request.session(input).await?;
    let arguments =
        Object::from_iter([("petId".to_owned(), Value::from(request.path_parameter("id")))]);
    let call = ToolCall::new("1", "pets-getPet", arguments);
    let results = request.calls(session, Execution::Server, [call])?.run().await;
    let answer = results.first().and_then(|result| match &result.outcome {
        Outcome::Answered(answer) => match &answer.content {
            Content::Json(json) => json.value().get("name").cloned(),
            _ => None,
        },
        _ => None,
    });
    let absent = || Problem::new(ProblemKind::ABSENT_RESOURCE, "no pet has this id");
    Ok(json!({"greeting": "Hello", "name": answer.ok_or_else(absent)?}))
}

//! A service of a program's own: a model's message comes in, the messages that answer its calls go out.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]
#![expect(clippy::disallowed_methods, reason = "a program reads its own environment")]

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use callgate::{Entry, Executor, Session, Value, dialect::Dialect};

type Refusal = (StatusCode, String);

/// The session of the user whom the login in front of this service has checked; never of one that a message names.
fn session(headers: &HeaderMap) -> Result<Session, Refusal> {
    let user = headers.get("x-user").and_then(|user| user.to_str().ok());
    let user = user.ok_or_else(|| (StatusCode::UNAUTHORIZED, "log in first".to_owned()))?;
    Ok(Session::new(user))
}

/// The tools, as the request to the model declares them.
async fn tools(State(executor): State<Executor>) -> Json<Vec<Value>> {
    let tools = executor.entries().filter_map(Entry::declaration);
    Json(tools.map(|tool| Dialect::OpenAi.declaration(tool)).collect())
}

/// Makes the calls of the model's message.
async fn calls(
    State(executor): State<Executor>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Result<Json<Vec<Value>>, Refusal> {
    let session = session(&headers)?;
    let read = Dialect::OpenAi
        .read(message, |name| executor.find(name).and_then(Entry::declaration))
        .map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
    let calls: Vec<_> = read.to_make().into_iter().cloned().collect();
    let results = executor.call_all(&calls, &session).await;
    Ok(Json(Dialect::OpenAi.write(&read, &results)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read("fixtures/pets/spec.yaml")?;
    let executor = callgate::openapi(text).server(std::env::var("PETS")?).build().await?;
    let routes =
        Router::new().route("/tools", get(tools)).route("/calls", post(calls)).with_state(executor);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}

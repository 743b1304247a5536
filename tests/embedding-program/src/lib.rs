//! The parts that the programs share: the description of a small service, and that service on loopback; and a kind of toolset.

pub mod echo;

use std::path::PathBuf;

use axum::{
    Json, Router, extract::Path, http::header::CONTENT_TYPE, response::IntoResponse, routing::get,
};
use serde_json::{Value, json};

/// The file of a description whose operations [`service`] answers: `getPet`, `news`.
pub fn description() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/pets.yaml"))
}

/// Starts the service and answers its URL. It runs as long as the runtime does.
pub async fn service() -> String {
    let routes = Router::new().route("/pets/{id}", get(pet)).route("/news", get(news));
    serve(routes).await
}

/// Serves routes on loopback and answers their URL.
pub async fn serve(routes: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the address of a listener");
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}")
}

async fn pet(Path(id): Path<u64>) -> Json<Value> {
    Json(json!({"id": id, "name": "Rex", "weight": 31.5}))
}

async fn news() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/x-ndjson")], "{\"n\":1}\n{\"n\":2}\n")
}

//! The service behind the sidecar and the relay: answers every request with the same pet. `service ADDRESS`.

use std::env;

use axum::{Router, http::header, routing::get};

const PET: &str = r#"{"id":7,"name":"Rex","species":"dog","weightKg":12.50,"nickname":null,"status":"available"}"#;

#[tokio::main(worker_threads = 1)]
async fn main() {
    let address = env::args().nth(1).expect("usage: service ADDRESS");
    let pet = || async { ([(header::CONTENT_TYPE, "application/json")], PET) };
    let router = Router::new().route("/pets/{id}", get(pet));
    let listener = tokio::net::TcpListener::bind(address).await.expect("an address");
    axum::serve(listener, router).await.expect("a server");
}

//! A relay of the shape of `POST /v1/calls`: reads the calls, sends each as a GET with a key, answers what came back. It checks
//! nothing, fills in nothing, masks nothing. `relay ADDRESS SERVICE`.

use std::{env, sync::Arc};

use axum::{Json, Router, extract::State, response::IntoResponse, routing::post};
use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Request {
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: String,
    tool: String,
    args: Arguments,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(rename = "petId")]
    pet_id: u64,
}

#[derive(Serialize)]
struct Answer {
    results: Vec<Ended>,
}

#[derive(Serialize)]
struct Ended {
    id: String,
    tool: String,
    status: u16,
    response: Box<RawValue>,
}

#[derive(Clone)]
struct Relay {
    client: Client,
    service: Arc<str>,
}

#[tokio::main]
async fn main() {
    let mut given = env::args().skip(1);
    let (Some(address), Some(service)) = (given.next(), given.next()) else {
        panic!("usage: relay ADDRESS SERVICE");
    };
    let client = Client::builder().no_proxy().build().expect("a client");
    let relay = Relay { client, service: service.into() };
    let router = Router::new().route("/v1/calls", post(run)).with_state(relay);
    let listener = tokio::net::TcpListener::bind(address).await.expect("an address");
    axum::serve(listener, router).await.expect("a server");
}

async fn run(State(relay): State<Relay>, Json(request): Json<Request>) -> impl IntoResponse {
    let mut results = Vec::new();
    for Call { id, tool, args } in request.calls {
        let url = format!("{}/pets/{}?verbose=false", relay.service, args.pet_id);
        let sent = relay.client.get(url).header("x-api-key", "load-key").send().await;
        let answer = sent.expect("an answer");
        let status = answer.status().as_u16();
        let body = answer.bytes().await.expect("a body");
        let response = serde_json::from_slice(&body).expect("JSON");
        results.push(Ended { id, tool, status, response });
    }
    Json(Answer { results })
}

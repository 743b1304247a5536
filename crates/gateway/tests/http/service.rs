//! A service of orders on a socket of this machine, which counts what it is asked.

use crate::prelude::*;
use callgate_testkit::temporary_file;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use tokio::sync::Semaphore;

/// The service, with a sidecar before it.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) sidecar: Sidecar,
    seen: Arc<Seen>,
    _folder: TempDir,
}

/// What the service was asked.
#[derive(Debug)]
struct Seen {
    n_orders: AtomicUsize,
    n_waiting: AtomicUsize,
    /// One permit for each call of `/slow` that may be answered.
    answers: Semaphore,
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::of("idempotency: {}", "").await
    }

    /// One with these keys of a configuration, and these of its toolset.
    pub(crate) async fn of(keys: &str, of_toolset: &str) -> Self {
        let (n_orders, n_waiting) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let seen = Arc::new(Seen { n_orders, n_waiting, answers: Semaphore::new(0) });
        let router = Router::new()
            .route("/orders", post(order))
            .route("/slow", post(slow))
            .route("/events", get(events))
            .route("/large", get(large))
            .with_state(Arc::clone(&seen));
        let server = callgate_testkit::serve(router).await;
        let (folder, file) = temporary_file("spec.yaml", callgate_testkit::describe(DESCRIPTION));
        let file = file.display();
        let text = format!(
            "{keys}\ntoolsets: {{shop: {{openapi: '{file}', server: '{server}', prefix: ''{of_toolset}}}}}"
        );
        Self { sidecar: Sidecar::of(&text).await, seen, _folder: folder }
    }

    /// How many orders were made.
    pub(crate) fn n_orders(&self) -> usize {
        self.seen.n_orders.load(Ordering::SeqCst)
    }

    /// Waits until so many calls of `/slow` wait for their answer.
    pub(crate) async fn waiting(&self, number: usize) {
        while self.seen.n_waiting.load(Ordering::SeqCst) != number {
            tokio::task::yield_now().await;
        }
    }

    /// Answers one call of `/slow`.
    pub(crate) fn answer(&self) {
        self.seen.answers.add_permits(1);
    }
}

async fn order(State(seen): State<Arc<Seen>>) -> Response {
    let number = seen.n_orders.fetch_add(1, Ordering::SeqCst) + 1;
    json(format!(r#"{{"number": {number}}}"#))
}

/// Counts a waiting call until it is answered or its caller leaves.
struct Waiting(Arc<Seen>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn slow(State(seen): State<Arc<Seen>>) -> Response {
    seen.n_waiting.fetch_add(1, Ordering::SeqCst);
    let waiting = Waiting(seen);
    waiting.0.answers.acquire().await.unwrap().forget();
    json("{}".to_owned())
}

async fn events() -> Response {
    let body = "data: {\"n\": 1}\n\ndata: {\"n\": 2}\n\n";
    ([("content-type", "text/event-stream")], body).into_response()
}

async fn large() -> Response {
    let items: Vec<String> = (0..4000).map(|n| format!(r#"{{"n": {n}}}"#)).collect();
    json(format!("[{}]", items.join(",")))
}

fn json(text: String) -> Response {
    ([("content-type", "application/json")], text).into_response()
}

const DESCRIPTION: &str = concat!("\n", include_str!("service.yaml"));

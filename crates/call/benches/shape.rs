//! What shaping a JSON answer of 1 MiB costs against `serde_json` parsing it, in the same run (bar: 2.00 x): an answer
//! that is shown whole, one that is cut, one of which members are selected, one with a `JSONPath`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{hint::black_box, time::Duration};

use bytes::Bytes;
use callgate_call::{DEFAULT_RESULT_BYTES, Plan, Selection, Shape};
use callgate_openapi::{Document, Limits, LoadOptions, load};
use callgate_tool::{Outcome, Value, json};
use http::Response;
use tokio::time::Instant;

const SIZE: usize = 1024 * 1024;
const ROUNDS: usize = 21;

fn main() {
    let (plan, response) = (plan(), response());
    let parse = || {
        let value: Value = serde_json::from_slice(black_box(response.body())).expect("JSON");
        drop(black_box(value));
    };
    let members = Selection::paths(["items.id", "items.owner.email"]);
    let path = Selection::json_path("$.items[?@.id < 100].name").expect("a path");
    let usual = DEFAULT_RESULT_BYTES;
    for (name, result_bytes, selection) in [
        ("whole", 2 * SIZE, Selection::All),
        ("cut", usual, Selection::All),
        ("members", usual, members),
        ("JSONPath", usual, path),
    ] {
        let mut shape = Shape::default();
        (shape.result_bytes, shape.selection) = (result_bytes, selection);
        let ours = || {
            let outcome = plan.outcome(black_box(&response), &shape);
            assert!(matches!(outcome, Outcome::Answered(_)));
            drop(black_box(outcome));
        };
        let (theirs, ours) = compared(&parse, &ours);
        println!(
            "{name:>8}: {:>6.2} ms, parsing {:>6.2} ms: {:.2} x (bar 2.00)",
            ours.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
            ours.as_secs_f64() / theirs.as_secs_f64(),
        );
    }
}

/// The median of each, taken in turns.
fn compared(theirs: &dyn Fn(), ours: &dyn Fn()) -> (Duration, Duration) {
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..ROUNDS {
        for (run, times) in [theirs, ours].into_iter().zip(&mut times) {
            let started = Instant::now();
            run();
            times.push(started.elapsed());
        }
    }
    let [theirs, ours] = times.map(|mut times| {
        times.sort();
        times.get(ROUNDS / 2).copied().unwrap_or_default()
    });
    (theirs, ours)
}

fn plan() -> Plan {
    let description = json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/items": {"get": {"operationId": "items", "parameters": [
            {"name": "page", "in": "query", "schema": {"type": "integer"}}],
            "responses": {"200": {"description": "fine"}}}}}})
    .to_string();
    let document = Document::read(description.as_bytes(), &Limits::default()).expect("read").value;
    Plan::new(load(&document, &LoadOptions::default()).operations.remove(0))
}

fn response() -> Response<Bytes> {
    let item = |id: usize| {
        json!({"id": id, "name": format!("item {id}"), "price": 12.5, "label": ["good", "cheap"],
            "owner": {"email": "kim@example.com", "phone": null}, "text": "A sentence or two. ".repeat(4)})
    };
    let n_items = SIZE / item(1000).to_string().len();
    let items: Vec<_> = (0..n_items).map(item).collect();
    let body = json!({"items": items, "total": n_items, "page": 1, "total_pages": 9}).to_string();
    let response = Response::builder().header("content-type", "application/json");
    response.body(body.into()).expect("a response")
}

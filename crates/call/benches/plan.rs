//! What a plan costs against building the same request by hand with `http::Request`: a small read, a small write, a
//! nested body of 4 KiB. The baseline stands in the same build, so the features of the workspace slow both alike.

#![expect(
    clippy::expect_used,
    reason = "a bench whose rows cannot be built has nothing to measure"
)]

use std::{hint::black_box, time::Duration};

use bytes::Bytes;
use callgate_call::Plan;
use callgate_openapi::{Document, Limits, LoadOptions, load};
use callgate_tool::{Arguments, Journal, Session, Value, json};
use criterion::{Criterion, criterion_group, criterion_main};
use http::Request;

fn plan(name: &str) -> Plan {
    let line = json!({"type": "object", "required": ["sku"], "properties": {
        "sku": {"type": "string", "minLength": 1}, "count": {"type": "integer", "minimum": 1},
        "price": {"type": "object", "properties": {"amount": {"type": "string"},
            "currency": {"type": "string", "enum": ["EUR", "USD", "CHF"]}}},
        "notes": {"type": "array", "items": {"type": "string"}}}});
    let description = json!({
        "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {
            "/pets/{petId}": {"get": {"operationId": "getPet", "parameters": [
                {"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}},
                {"name": "verbose", "in": "query", "schema": {"type": "boolean", "default": false}}],
                "responses": {"200": {"description": "fine", "content": {"application/json": {}}}}}},
            "/pets": {"post": {"operationId": "createPet", "requestBody": {"required": true, "content":
                {"application/json": {"schema": {"type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string"}, "label": {"type": "array", "items": {"type": "string"}},
                    "owner": {"type": "object", "properties": {"email": {"type": "string", "format": "email"}}}}}}}},
                "responses": {"201": {"description": "made", "content": {"application/json": {}}}}}},
            "/orders": {"post": {"operationId": "createOrder", "requestBody": {"required": true, "content":
                {"application/json": {"schema": {"type": "object", "required": ["lines"], "properties": {
                    "customer": {"type": "string"}, "lines": {"type": "array", "items": line}}}}}},
                "responses": {"201": {"description": "made", "content": {"application/json": {}}}}}}}});
    let text = description.to_string();
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("readable").value;
    let loaded = load(&document, &LoadOptions::default());
    let operation = loaded.operations.iter().find(|found| found.tool_name.as_str() == name);
    Plan::new(operation.expect("a declared operation").clone())
}

fn order() -> Value {
    let line = |at: usize| {
        json!({"sku": format!("sku-{at}"), "count": at + 1, "price": {"amount": "12.50", "currency": "EUR"},
            "notes": ["fragile", "gift wrapping please"]})
    };
    json!({"customer": "c-17", "lines": (0..32).map(line).collect::<Vec<_>>()})
}

fn arguments(value: Value) -> Arguments {
    match value {
        Value::Object(members) => members,
        _ => Arguments::new(),
    }
}

fn by_hand_get(arguments: &Arguments) -> Request<Bytes> {
    let id = arguments.get("petId").and_then(Value::as_i64).unwrap_or_default();
    Request::builder()
        .method("GET")
        .uri(format!("https://api.example.com/v1/pets/{id}?verbose=false"))
        .header("accept", "application/json")
        .body(Bytes::new())
        .expect("a request")
}

fn by_hand_post(path: &str, arguments: &Arguments) -> Request<Bytes> {
    Request::builder()
        .method("POST")
        .uri(format!("https://api.example.com/v1{path}"))
        .header("accept", "application/json")
        .header("content-type", "application/json")
        .body(Bytes::from(serde_json::to_vec(arguments).expect("JSON")))
        .expect("a request")
}

fn compare(criterion: &mut Criterion, (name, path): (&str, &str), arguments: &Arguments) {
    let plan = plan(name);
    let session = Session::default();
    let mut group = criterion.benchmark_group(name);
    group.bench_function("plan", |bencher| {
        bencher.iter(|| {
            let mut journal = Journal::default();
            plan.request(black_box(arguments), &session, &mut journal).expect("a request")
        });
    });
    group.bench_function("by hand", |bencher| {
        bencher.iter(|| match path {
            "" => by_hand_get(black_box(arguments)),
            path => by_hand_post(path, black_box(arguments)),
        });
    });
    group.finish();
}

fn plans(criterion: &mut Criterion) {
    let pet = json!({"name": "Rex", "label": ["good"], "owner": {"email": "a@example.com"}});
    compare(criterion, ("getPet", ""), &arguments(json!({"petId": 7})));
    compare(criterion, ("createPet", "/pets"), &arguments(pet));
    compare(criterion, ("createOrder", "/orders"), &arguments(order()));
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500));
    targets = plans
}
criterion_main!(benches);

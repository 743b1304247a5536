//! What the parser says of a pattern is true where values are checked: one that no engine holds is reported and left out, and
//! one that is not reported is applied.

use crate::prelude::*;
use callgate_openapi::{Limits, load};

/// The schema that the arguments of a parameter with this pattern are checked against.
fn checked(pattern: &str) -> Value {
    let schema = json!({"type": "string", "pattern": pattern});
    let parameter = json!({"name": "q", "in": "query", "schema": schema});
    let responses = json!({"200": {"description": "ok"}});
    let operation =
        json!({"operationId": "get", "parameters": [parameter], "responses": responses});
    let info = json!({"title": "T", "version": "1"});
    let description = json!({
        "openapi": "3.1.0", "info": info, "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a": {"get": operation}},
    });
    let text = description.to_string();
    let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
    let operations = load(&document, &LoadOptions::default()).operations;
    operations[0].arguments_schema().clone()
}

#[track_caller]
fn check(pattern: &str, is_applied: bool) {
    let schema = checked(pattern);
    let kept = schema["properties"]["q"].get("pattern").is_some();
    assert_eq!(kept, is_applied, "{pattern}: {schema}");
    assert_eq!(Evaluator::new(schema).unknown_keywords(), [""; 0], "{pattern}");
}

#[test]
fn a_pattern_is_reported_or_applied() {
    let texts = r"^[a-z]{1,63}$ ^.{0,10000}$ ^[\p{L}]{1,500}$ ^[\w.\-]{1,4000}$ ^\W{1,2000}$
        ^[\u4e00-\u9fa5]{1,5000}$ ^\p{Han}{1,1000}$ ^\s*\S{1,1000}$ ^(abc|d){0,3000}$
        ^[^\x00]{1,10000}$";
    for pattern in texts.split_whitespace().chain([r"^[\p{L}\p{N} ]{1,255}$"]) {
        check(pattern, true);
    }
    for pattern in [r"^[\p{L}]{1,1000}$", "^.{0,262144}$", r"^\p{Print}+$", "(?=a)b", r"(a)\1"] {
        check(pattern, false);
    }
}

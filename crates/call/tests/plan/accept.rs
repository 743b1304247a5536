//! The header `Accept`: the media types of the responses, or the default of a header parameter of that name.

use crate::prelude::*;

fn accept(plan: &Plan) -> String {
    let request = call(plan, json!({})).result.unwrap();
    String::from_utf8_lossy(request.headers()["accept"].as_bytes()).into_owned()
}

#[track_caller]
fn check(parameter: Value, expected: &str) {
    let responses = json!({"200": {"description": "fine", "content": {"application/json": {}}}});
    let plan = operation("get", "/", json!({"parameters": [parameter], "responses": responses}));
    assert_eq!(accept(&plan), expected);
}

#[test]
fn the_default_of_a_parameter_accept_is_sent() {
    let versioned = "application/vnd.example+json;version=2";
    let schema = json!({"type": "string", "default": versioned});
    for required in [false, true] {
        let parameter =
            json!({"name": "Accept", "in": "header", "required": required, "schema": schema});
        check(parameter, versioned);
    }
    let upper = json!({"name": "ACCEPT", "in": "header", "schema": schema});
    check(upper, versioned);
}

#[test]
fn a_parameter_accept_without_a_usable_default_is_ignored() {
    for schema in [
        json!({"type": "string"}),
        json!({"type": "string", "default": "json"}),
        json!({"type": "string", "default": "application/json\r\nX: y"}),
        json!({"type": "string", "default": 2}),
    ] {
        check(json!({"name": "Accept", "in": "header", "schema": schema}), "application/json");
    }
    let other = json!({"name": "accept", "in": "query", "schema": {"default": "text/csv"}});
    check(other, "application/json");
}

#[test]
fn the_default_of_a_parameter_accept_is_sent_under_swagger_too() {
    let parameter =
        json!({"name": "Accept", "in": "header", "type": "string", "default": "text/csv"});
    let get = json!({"parameters": [parameter], "responses": {"200": {"description": "fine"}}});
    let description = json!({"swagger": "2.0", "info": {"title": "t", "version": "1"},
        "host": "api.example.com", "schemes": ["https"], "paths": {"/": {"get": get}}});
    assert_eq!(accept(&plan(&description.to_string())), "text/csv");
}

//! Defaults that would decide alone what a call changes: those of the path, and those of a body in which nothing else is
//! given. Rows of a method, a policy, a description and arguments.

use crate::prelude::*;
use callgate_openapi::Code;

fn description(method: &str, path: &str, operation: &Value) -> String {
    json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {path: {method: operation}}})
    .to_string()
}

fn planned(defaults: Defaults, text: &str, arguments: Value) -> Planned {
    call(&plan_with(text, &LoadOptions { defaults, ..LoadOptions::default() }), arguments)
}

/// The request with a policy, or the problems.
#[track_caller]
fn check(defaults: Defaults, text: &str, arguments: Value, expected: &str) {
    let planned = planned(defaults, text, arguments);
    let shown = match &planned.result {
        Ok(request) => {
            let body = String::from_utf8_lossy(request.body());
            format!("{} {body}", request.uri().path())
        }
        Err(_) => planned.problems(),
    };
    assert_eq!(shown.trim(), expected, "{defaults:?} {text}");
}

const ALL: [Defaults; 3] = [Defaults::All, Defaults::Required, Defaults::Safe];

#[test]
fn the_path_of_a_write_is_not_filled_by_defaults() {
    let id = |schema: Value| json!({"parameters": [{"name": "id", "in": "path", "required": true, "schema": schema}]});
    let open = id(json!({"type": "string", "default": "example"}));
    let only = id(json!({"type": "string", "enum": ["v1"], "default": "v1"}));
    for method in ["get", "query", "head", "post", "put", "patch", "delete"] {
        let is_read = ["get", "query", "head"].contains(&method);
        let text = description(method, "/a/{id}/x", &open);
        for defaults in ALL {
            let is_filled = is_read || defaults == Defaults::All;
            let expected =
                if is_filled { "/a/example/x" } else { "id: expected a value, got nothing" };
            check(defaults, &text, json!({}), expected);
            check(defaults, &text, json!({"id": "7"}), "/a/7/x");
            check(defaults, &description(method, "/a/{id}/x", &only), json!({}), "/a/v1/x");
        }
        let plan = plan_with(&text, &LoadOptions::default());
        let declared = plan.operation().declaration().unwrap().input_schema.to_value();
        assert_eq!(declared.get("required").is_none(), is_read, "{method}");
        assert_eq!(declared["properties"]["id"]["default"], json!("example"), "{method}");
    }
}

#[test]
fn the_path_of_an_executing_get_is_not_filled_by_defaults() {
    let text = description(
        "get",
        "/pods/{name}/exec",
        &json!({"parameters": [{"name": "name", "in": "path", "required": true,
            "schema": {"type": "string", "default": "main"}}]}),
    );
    check(Defaults::Safe, &text, json!({}), "name: expected a value, got nothing");
}

#[test]
fn a_default_inside_a_path_parameter_is_not_sent_by_a_write() {
    let parameter = json!({"name": "key", "in": "path", "required": true, "schema": {"type": "object",
        "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}}});
    let operation = json!({"parameters": [parameter]});
    let given = json!({"key": {"a": "1"}});
    check(Defaults::Safe, &description("get", "/k/{key}", &operation), given.clone(), "/k/a,1,b,x");
    let text = description("delete", "/k/{key}", &operation);
    check(Defaults::Safe, &text, given.clone(), "key.b: expected a value, got nothing");
    check(Defaults::All, &text, given, "/k/a,1,b,x");
}

fn json_body(schema: Value) -> Value {
    json!({"requestBody": {"required": true, "content": {"application/json": {"schema": schema}}}})
}

#[test]
fn no_body_of_a_write_is_made_of_defaults_alone() {
    let member = |default: Value| json!({"type": "string", "default": default});
    let schema = json!({"type": "object", "required": ["name", "id"],
        "properties": {"name": member("Jane".into()), "id": member("1".into()), "note": {"type": "string"}}});
    let missing =
        "body.name: expected a value, got nothing\nbody.id: expected a value, got nothing";
    let text = description("post", "/s", &json_body(schema.clone()));
    for defaults in [Defaults::Safe, Defaults::Required] {
        check(defaults, &text, json!({}), "body: expected a value, got nothing");
        check(defaults, &text, json!({"body": {}}), missing);
        let whole = "/s {\"name\":\"x\",\"id\":\"1\"}";
        check(defaults, &text, json!({"body": {"name": "x"}}), whole);
    }
    check(Defaults::All, &text, json!({"body": {}}), "/s {\"name\":\"Jane\",\"id\":\"1\"}");
    check(
        Defaults::Safe,
        &description("query", "/s", &json_body(schema)),
        json!({"body": {}}),
        "/s {\"name\":\"Jane\",\"id\":\"1\"}",
    );
}

#[test]
fn a_default_of_a_whole_body_is_not_sent_by_a_write() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"a": 1}});
    for (method, is_read) in [("post", false), ("put", false), ("query", true)] {
        let text = description(method, "/s", &json_body(schema.clone()));
        let expected = if is_read { "/s {\"a\":1}" } else { "body: expected a value, got nothing" };
        check(Defaults::Safe, &text, json!({}), expected);
        check(Defaults::All, &text, json!({}), "/s {\"a\":1}");
        check(Defaults::Safe, &text, json!({"body": {"a": 2}}), "/s {\"a\":2}");
    }
}

#[test]
fn defaults_are_not_filled_into_a_body_of_empty_objects() {
    let inner = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "d"}}});
    let schema = json!({"type": "object", "properties": {"in": inner, "list": {"type": "array", "items": inner}}});
    let text = description("post", "/s", &json_body(schema));
    let check = |arguments, expected| check(Defaults::Safe, &text, arguments, expected);
    check(json!({"body": {"in": {}}}), "body.in.a: expected a value, got nothing");
    check(json!({"body": {"list": [{}]}}), "body.list[0].a: expected a value, got nothing");
    check(json!({"body": {"in": {}, "list": []}}), "/s {\"in\":{\"a\":\"d\"},\"list\":[]}");
    check(json!({"body": {"in": {}, "x": 0}}), "/s {\"in\":{\"a\":\"d\"},\"x\":0}");
}

#[test]
fn the_only_legal_value_is_filled_where_defaults_are_withheld() {
    let schema = json!({"type": "object", "required": ["grant"],
        "properties": {"grant": {"enum": ["code"]}, "scope": {"type": "string", "default": "all"}}});
    let text = description("post", "/t", &json_body(schema));
    check(Defaults::Safe, &text, json!({"body": {}}), "/t {\"grant\":\"code\"}");
    let told = planned(Defaults::Safe, &text, json!({"body": {}})).journal;
    let withheld = Event::DefaultWithheld { argument: "body.scope".to_owned() };
    assert!(told.contains(&withheld), "{told:?}");
}

#[test]
fn fields_of_a_form_are_not_all_filled_by_defaults() {
    let field = |name: &str| json!({"name": name, "in": "formData", "required": true, "type": "string", "default": name});
    let text = json!({"swagger": "2.0", "info": {"title": "t", "version": "1"}, "host": "api.example.com",
        "schemes": ["https"], "paths": {"/f": {"post": {"consumes": ["application/x-www-form-urlencoded"],
        "parameters": [field("a"), field("b")], "responses": {}}}}})
    .to_string();
    let missing = "a: expected a value, got nothing\nb: expected a value, got nothing";
    check(Defaults::Safe, &text, json!({}), missing);
    check(Defaults::Safe, &text, json!({"a": "1"}), "/f a=1&b=b");
    check(Defaults::All, &text, json!({}), "/f a=a&b=b");
}

#[test]
fn a_nested_optional_default_is_sent_if_all_are() {
    let name = json!({"type": "object", "properties": {"name": {"type": "string"}, "opt": {"type": "string", "default": "o"}}});
    let schema = json!({"type": "object", "properties": {"who": name, "list": {"type": "array", "items": name}}});
    let query =
        json!({"name": "q", "in": "query", "style": "deepObject", "explode": true, "schema": name});
    for method in ["post", "put", "patch", "delete"] {
        let text = description(method, "/w", &json_body(schema.clone()));
        let given = json!({"body": {"who": {"name": "A"}, "list": [{"name": "B"}]}});
        let all =
            "/w {\"who\":{\"name\":\"A\",\"opt\":\"o\"},\"list\":[{\"name\":\"B\",\"opt\":\"o\"}]}";
        let safe = "/w {\"who\":{\"name\":\"A\"},\"list\":[{\"name\":\"B\"}]}";
        check(Defaults::All, &text, given.clone(), all);
        check(Defaults::Safe, &text, given, safe);
    }
    let text = description("get", "/w", &json!({"parameters": [query]}));
    let sent = |defaults| {
        let request = planned(defaults, &text, json!({"q": {"name": "A"}})).result.unwrap();
        request.uri().query().unwrap_or_default().to_owned()
    };
    assert_eq!(sent(Defaults::All), "q%5Bname%5D=A&q%5Bopt%5D=o");
    assert_eq!(sent(Defaults::Safe), "q%5Bname%5D=A");
}

#[test]
fn loading_counts_the_operations_whose_target_has_a_default() {
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string", "default": "x"}});
    let body = json_body(
        json!({"type": "object", "required": ["a"], "properties": {"a": {"default": 1}}}),
    );
    let mut both = body.clone();
    both["parameters"] = json!([id]);
    let text = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {
        "/a/{id}": {"parameters": [id], "get": {"summary": "A"}, "delete": {"summary": "A"}},
        "/b/{id}": {"post": both}, "/c": {"post": body}, "/d": {"query": body}}});
    let document = Document::read(text.to_string().as_bytes(), &Limits::default()).unwrap();
    for (defaults, severity) in [(Defaults::Safe, "note"), (Defaults::All, "warning")] {
        let options = LoadOptions { defaults, ..LoadOptions::default() };
        let found = load(&document.value, &options).report.diagnostics;
        let found = found.iter().filter(|found| found.code == Code::DecisiveDefault);
        let lines: Vec<String> =
            found.map(|found| format!("{} {}", found.severity.as_str(), found.message)).collect();
        assert_eq!(
            lines,
            [
                format!(
                    "{severity} expected writes without defaults of path parameters, got 2 others: `DELETE /a/{{id}}`, `POST /b/{{id}}`"
                ),
                format!(
                    "{severity} expected writes with a body that defaults alone do not make, got 2 others: `POST /b/{{id}}`, `POST /c`"
                ),
            ]
        );
    }
}

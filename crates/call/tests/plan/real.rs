//! What real descriptions say wrongly or by half, and what is sent all the same: each row stands in a description of the
//! corpus that the request judge reads.

use crate::prelude::*;

fn body(method: &str, schema: Value) -> Plan {
    let content = json!({"application/json": {"schema": schema}});
    operation(method, "/x", json!({"requestBody": {"required": true, "content": content}}))
}

fn query(schema: Value, required: bool) -> Plan {
    with_parameters(json!([{"name": "h", "in": "query", "required": required, "schema": schema}]))
}

/// A repository as services describe the body that changes one: defaults belong to its making.
fn repository() -> Value {
    json!({"type": "object", "required": ["name", "kind"], "properties": {
        "name": {"type": "string"},
        "kind": {"type": "string", "default": "plain"},
        "private": {"type": "boolean", "default": false},
        "owner": {"type": "string", "default": "me", "x-agent-input-parameter": "owner"}}})
}

#[test]
fn an_optional_default_is_not_sent_by_patch_and_put() {
    let shown = call(&body("patch", repository()), json!({"name": "a"})).shown();
    assert!(shown.ends_with(r#"{"name":"a","kind":"plain","owner":"me"}"#), "{shown}");
    let shown = call(&body("put", repository()), json!({"name": "a"})).shown();
    assert!(shown.ends_with(r#"{"name":"a","kind":"plain","owner":"me"}"#), "{shown}");
    let mut whole = repository();
    whole["additionalProperties"] = json!({"type": "string"});
    let shown = call(&body("patch", whole), json!({"body": {"name": "a"}})).shown();
    assert!(shown.ends_with(r#"{"name":"a","kind":"plain","owner":"me"}"#), "{shown}");
}

#[track_caller]
fn check_unfit(plan: &Plan, arguments: Value, expected: &str) {
    let planned = call(plan, arguments);
    assert_eq!(planned.shown(), expected);
}

#[test]
fn a_default_that_breaks_its_own_schema_is_left_out() {
    let columns = json!({"type": "array", "items": {"type": "string"}, "default": "id,type"});
    check_unfit(&query(columns.clone(), false), json!({}), "GET /v1/x");
    check_unfit(&query(json!({"enum": [0, 1], "default": "0"}), false), json!({}), "GET /v1/x");
    let day = json!({"type": "string", "format": "date", "default": ""});
    check_unfit(&query(day.clone(), false), json!({}), "GET /v1/x");
    // What only the check of a call can tell, its journal says.
    let journal = call(&query(day.clone(), false), json!({})).journal();
    assert!(journal.contains("breaks the description's own rules"), "{journal}");
    let nothing =
        json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {}}], "default": null});
    check_unfit(&query(nothing, false), json!({}), "GET /v1/x");
    let missing = call(&query(columns, true), json!({}));
    assert_eq!(missing.problems(), "h: expected a value, got nothing");
    let given = call(&query(day, false), json!({"h": ""}));
    assert_eq!(given.shown(), "GET /v1/x?h=", "a format describes and refuses nothing");
}

#[test]
fn a_default_inside_a_body_that_breaks_its_own_schema_is_left_out() {
    let search = json!({"type": "object", "properties": {
        "query": {"type": "string"},
        "filter": {"type": "object", "properties": {"a": {}}, "default": "none"},
        "size": {"type": "integer", "default": 10}}});
    let plan = body("post", search);
    check_unfit(
        &plan,
        json!({"body": {"query": "q"}}),
        "POST /v1/x\ncontent-type: application/json\n\n{\"query\":\"q\",\"size\":10}",
    );
    let given = call(&plan, json!({"body": {"filter": "none"}}));
    assert_eq!(given.problems(), "body.filter: expected object, got string \"none\"");
    let list = json!({"type": "array", "items": {"type": "object", "required": ["kind"],
        "properties": {"kind": {"type": "integer", "default": "first"}}}});
    let required = call(&body("post", list), json!({"body": [{}]}));
    assert_eq!(required.problems(), "body[0].kind: expected a value, got nothing");
}

#[test]
fn a_format_that_other_keywords_also_describe_is_not_checked() {
    let now = json!({"type": "string", "format": "date-time", "enum": ["now"]});
    assert_eq!(call(&query(now, true), json!({"h": "now"})).shown(), "GET /v1/x?h=now");
    let id = json!({"type": "string", "format": "uuid", "minLength": 4, "maxLength": 4});
    assert_eq!(call(&query(id.clone(), true), json!({"h": "536e"})).shown(), "GET /v1/x?h=536e");
    let long = call(&query(id, true), json!({"h": "536e5"})).problems();
    assert_eq!(long, "h: expected at most 4 characters, got string \"536e5\"");
    let year = json!({"type": "string", "format": "date-time", "pattern": "^[0-9]{4,}-"});
    let shown = call(&query(year, true), json!({"h": "12026-01-01T00:00:00Z"})).shown();
    assert_eq!(shown, "GET /v1/x?h=12026-01-01T00%3A00%3A00Z");
}

#[test]
fn a_query_parameter_that_the_path_fixes_is_sent_once() {
    let networks =
        json!({"name": "list-type", "in": "query", "required": true, "schema": {"enum": ["2"]}});
    let plan = operation("get", "/ips?list%2Dtype=2&beta", json!({"parameters": [networks]}));
    assert_eq!(call(&plan, json!({})).shown(), "GET /v1/ips?list%2Dtype=2&beta");
    let told = call(&plan, json!({"list_type": "3"})).problems();
    assert_eq!(told, "list_type: expected no argument, got an unknown argument");
}

#[test]
fn a_multipart_body_without_parts_is_not_sent() {
    let form = json!({"schema": {"type": "object", "properties": {"list": {"type": "array", "items": {}}}}});
    let content = json!({"multipart/form-data": form});
    let plan =
        operation("post", "/x", json!({"requestBody": {"required": true, "content": content}}));
    assert_eq!(call(&plan, json!({"body": {}})).shown(), "POST /v1/x");
    let expected =
        "body: expected at least one member that is neither null nor empty, got object of 1 member";
    assert_eq!(call(&plan, json!({"body": {"list": []}})).problems(), expected);
}

#[test]
fn bodies_of_programs_and_yaml_are_sent_as_text() {
    for media_type in ["application/javascript", "application/graphql", "application/yaml"] {
        let content = json!({media_type: {"schema": {"example": "a()"}}});
        let plan =
            operation("put", "/x", json!({"requestBody": {"required": true, "content": content}}));
        let shown = call(&plan, json!({"body": "f('é')"})).shown();
        assert!(shown.ends_with("f('é')"), "{shown}");
        assert!(shown.contains(&format!("content-type: {media_type}")), "{shown}");
    }
}

#[test]
fn an_empty_item_between_brackets_is_refused() {
    let phases = json!({"phases": {"style": "deepObject", "explode": true}});
    let schema =
        json!({"type": "object", "properties": {"phases": {"type": "array", "items": {}}}});
    let content =
        json!({"application/x-www-form-urlencoded": {"schema": schema, "encoding": phases}});
    let plan =
        operation("post", "/x", json!({"requestBody": {"required": true, "content": content}}));
    let sent = call(&plan, json!({"body": {"phases": [{"a": 1, "b": {}}]}})).shown();
    assert!(sent.ends_with("phases%5B0%5D%5Ba%5D=1"), "{sent}");
    for items in [json!([{}, {"a": 1}]), json!([{"a": [[], 1]}])] {
        let problems = call(&plan, json!({"body": {"phases": items}})).problems();
        assert_eq!(problems, "body.phases: expected a value that is not empty, got an empty value");
    }
    let problems = call(&plan, json!({"body": {"phases": [null, 1]}})).problems();
    assert_eq!(problems, "body.phases: expected a value that is not null, got null");
}

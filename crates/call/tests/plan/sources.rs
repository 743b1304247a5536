//! Sources of values: every pair of sources of an input, and which of them wins.

use crate::prelude::*;

fn query(schema: Value, required: bool) -> Plan {
    operation(
        "get",
        "/pets",
        json!({"operationId": "list", "parameters": [
            {"name": "x", "in": "query", "required": required, "schema": schema}]}),
    )
}

fn session(parameters: Value) -> Session {
    Session::new("s-1").with_parameters(members(parameters))
}

#[track_caller]
fn check(plan: &Plan, session: &Session, arguments: Value, expected: &str) {
    assert_eq!(call_in(plan, arguments, session).shown(), expected);
}

#[test]
fn the_session_value_precedes_the_model_and_the_default() {
    let bound = json!({"type": "integer", "x-agent-input-parameter": "petId", "default": 3});
    let plan = query(bound, false);
    check(&plan, &session(json!({"PETID": 1})), json!({"x": 2}), "GET /v1/pets?x=1");
    check(&plan, &session(json!({"petId": 0})), json!({"x": 2}), "GET /v1/pets?x=0");
    check(&plan, &session(json!({"petId": null})), json!({"x": 2}), "GET /v1/pets?x=2");
    check(&plan, &session(json!({})), json!({"x": 2}), "GET /v1/pets?x=2");
    check(&plan, &session(json!({})), json!({}), "GET /v1/pets?x=3");
    let won = call_in(&plan, json!({"x": 2}), &session(json!({"petId": 1})));
    assert_eq!(won.journal(), "`x` was taken from the session, not from the model");
}

#[test]
fn without_any_value_an_optional_input_is_omitted_and_a_required_one_is_a_fault() {
    let bound = json!({"type": "integer", "x-agent-input-parameter": "petId"});
    check(&query(bound.clone(), false), &session(json!({})), json!({}), "GET /v1/pets");
    let missing = call_in(&query(bound, true), json!({}), &session(json!({})));
    assert_eq!(missing.fault().code, FaultCode::InvalidArguments);
    assert_eq!(missing.problems(), "x: expected a value, got nothing");
}

#[test]
fn the_payload_is_a_source_like_the_session() {
    let bound = json!({"type": "string", "x-agent-input-parameter": "$request.payload.header"});
    let session = Session::default().with_payload(members(json!({"header": "h"})));
    check(&query(bound.clone(), false), &session, json!({"x": "m"}), "GET /v1/pets?x=h");
    check(&query(bound, false), &Session::default(), json!({"x": "m"}), "GET /v1/pets?x=m");
}

#[test]
fn context_values_are_never_inputs_of_the_model() {
    let bound = json!({"$ref": "@dialogflow/sessionId"});
    let plan = query(bound.clone(), true);
    let filled = call_in(&plan, json!({"x": "mine"}), &Session::new("s-1"));
    assert_eq!(filled.shown(), "GET /v1/pets?x=s-1");
    assert_eq!(filled.journal(), "`x` is filled by the session; the model's value was ignored");
    let missing = call_in(&plan, json!({"x": "mine"}), &Session::default());
    assert_eq!(missing.fault().code, FaultCode::MissingSessionValue);
    assert_eq!(missing.fault().next, Next::GiveUp);
    assert!(missing.problems().contains("$context.session_id"), "{}", missing.problems());
    let omitted = call_in(&query(bound, false), json!({"x": "mine"}), &Session::default());
    assert_eq!(omitted.shown(), "GET /v1/pets");
    assert!(omitted.journal().contains("the session has no"), "{}", omitted.journal());
}

#[test]
fn the_value_of_the_model_precedes_the_default() {
    let none = Session::default();
    let plan = query(json!({"type": "integer", "default": 94043}), true);
    check(&plan, &none, json!({"x": 1}), "GET /v1/pets?x=1");
    check(&plan, &none, json!({}), "GET /v1/pets?x=94043");
    check(&plan, &none, json!({"x": null}), "GET /v1/pets?x=94043");
    check(&query(json!({"type": "integer"}), false), &none, json!({}), "GET /v1/pets");
    let missing = call_in(&query(json!({"type": "integer"}), true), json!({}), &none);
    assert_eq!(missing.fault().code, FaultCode::InvalidArguments);
}

#[test]
fn strict_session_inputs_are_never_from_the_model() {
    let description = json!({
        "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/pets": {"get": {"parameters": [{"name": "x", "in": "query", "required": true,
            "schema": {"type": "string", "x-agent-input-parameter": "token"}}],
            "responses": {"200": {"description": "fine"}}}}}});
    let options = LoadOptions { session_inputs: SessionInputs::Strict, ..LoadOptions::default() };
    let plan = plan_with(&description.to_string(), &options);
    check(&plan, &session(json!({"token": "t"})), json!({"x": "m"}), "GET /pets?x=t");
    let missing = call_in(&plan, json!({"x": "m"}), &session(json!({})));
    assert_eq!(missing.fault().code, FaultCode::MissingSessionValue);
    assert_eq!(missing.fault().next, Next::AskUser);
}

#[test]
fn a_session_value_of_another_type_is_converted_or_reported_without_its_value() {
    let plan = query(json!({"type": "integer", "x-agent-input-parameter": "zip"}), true);
    let converted = call_in(&plan, json!({}), &session(json!({"zip": "94043"})));
    assert_eq!(converted.shown(), "GET /v1/pets?x=94043");
    assert_eq!(converted.journal(), "`x` was converted from string to number");
    let wrong = call_in(&plan, json!({}), &session(json!({"zip": "secret-token"})));
    assert_eq!(wrong.fault().code, FaultCode::MissingSessionValue);
    assert_eq!(wrong.problems(), "x: expected integer, got string");
    assert!(!format!("{:?}", wrong.fault()).contains("secret"));
}

#[test]
fn text_of_the_model_is_never_expanded() {
    let plan = query(json!({"type": "string"}), false);
    let session = session(json!({"tok": "secret"}));
    check(
        &plan,
        &session,
        json!({"x": "$session.params.tok"}),
        "GET /v1/pets?x=%24session.params.tok",
    );
}

fn body(schema: Value, required: bool) -> Plan {
    operation(
        "post",
        "/pets",
        json!({"requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}}),
    )
}

fn pet() -> Value {
    json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"},
        "kind": {"type": "string", "default": "dog"},
        "owner": {"type": "object", "required": ["country"], "properties": {
            "email": {"type": "string", "x-agent-input-parameter": "mail"},
            "country": {"type": "string", "default": "DE"},
            "language": {"type": "string", "default": "de"}}},
        "labels": {"type": "array", "items": {"type": "object", "required": ["kind", "weight"], "properties": {
            "text": {"type": "string", "x-agent-input-parameter": "label"},
            "kind": {"enum": ["label"]},
            "weight": {"type": "integer", "default": 1}}}}}})
}

#[track_caller]
fn check_body(parameters: Value, arguments: Value, expected: Value) {
    let planned = call_in(&body(pet(), true), arguments, &session(parameters));
    let request = planned.result.unwrap();
    let sent: Value = serde_json::from_slice(request.body()).unwrap();
    assert_eq!(sent, expected);
}

#[test]
fn defaults_inside_a_body_fill_only_what_their_parent_requires() {
    check_body(json!({}), json!({"name": "Rex"}), json!({"name": "Rex", "kind": "dog"}));
    check_body(
        json!({}),
        json!({"name": "Rex", "owner": {}, "labels": [{"weight": 2}, {}]}),
        json!({"name": "Rex", "kind": "dog", "owner": {"country": "DE"},
            "labels": [{"weight": 2, "kind": "label"}, {"kind": "label", "weight": 1}]}),
    );
}

#[test]
fn session_values_inside_a_body_win_and_make_their_parents() {
    check_body(
        json!({"mail": "s@example.com"}),
        json!({"name": "Rex"}),
        json!({"name": "Rex", "kind": "dog", "owner": {"email": "s@example.com", "country": "DE"}}),
    );
    check_body(
        json!({"mail": "s@example.com", "label": "L"}),
        json!({"name": "Rex", "owner": {"email": "m@example.com"}, "labels": [{"text": "m"}]}),
        json!({"name": "Rex", "kind": "dog", "owner": {"email": "s@example.com", "country": "DE"},
            "labels": [{"text": "L", "kind": "label", "weight": 1}]}),
    );
}

#[test]
fn a_default_alone_makes_no_body() {
    let optional =
        json!({"type": "object", "properties": {"kind": {"type": "string", "default": "dog"}}});
    check(&body(optional.clone(), false), &Session::default(), json!({}), "POST /v1/pets");
    let nothing = call_in(&body(optional.clone(), true), json!({}), &Session::default());
    assert_eq!(nothing.problems(), "body: expected a value, got nothing");
    let sent = call_in(&body(optional, true), json!({"body": {}}), &Session::default()).shown();
    assert_eq!(sent, "POST /v1/pets\ncontent-type: application/json\n\n{}");
}

#[test]
fn the_only_legal_value_of_a_required_input_is_filled() {
    check(
        &query(json!({"enum": ["v1"]}), true),
        &Session::default(),
        json!({}),
        "GET /v1/pets?x=v1",
    );
    check(&query(json!({"enum": ["v1"]}), false), &Session::default(), json!({}), "GET /v1/pets");
    let wrong =
        call_in(&query(json!({"const": "v1"}), true), json!({"x": "v2"}), &Session::default());
    assert_eq!(wrong.problems(), "x: expected `v1`, got string \"v2\"");
}

#[test]
fn a_read_only_member_is_neither_filled_nor_accepted() {
    let schema = json!({"type": "object", "required": ["id", "name"], "properties": {
        "id": {"type": "integer", "readOnly": true, "default": 1},
        "name": {"type": "string"},
        "owner": {"type": "object", "required": ["id"], "properties": {
            "id": {"enum": [7], "readOnly": true}, "mail": {"type": "string"}},
            "additionalProperties": false}}});
    let sent = call_in(
        &body(schema.clone(), true),
        json!({"name": "Rex", "owner": {}}),
        &Session::default(),
    )
    .shown();
    assert!(sent.ends_with(r#"{"name":"Rex","owner":{}}"#), "{sent}");
    let taken = call_in(
        &body(schema, true),
        json!({"name": "Rex", "id": 2, "owner": {"id": 7}}),
        &Session::default(),
    );
    assert_eq!(taken.result.unwrap_err().problems.len(), 2);
}

#[test]
fn a_read_only_member_is_not_required_by_another_part_of_a_composition() {
    let base = json!({"type": "object", "properties": {
        "id": {"type": "integer", "readOnly": true}, "name": {"type": "string"}}});
    let below = json!({"allOf": [{"type": "integer", "readOnly": true, "default": 1}]});
    for schema in [
        json!({"allOf": [base, {"type": "object", "required": ["id", "name"]}]}),
        json!({"allOf": [base], "required": ["id", "name"]}),
        json!({"allOf": [{"allOf": [base]}, {"allOf": [{"required": ["id"]}]}]}),
        json!({"oneOf": [base], "required": ["id"]}),
        json!({"type": "object", "required": ["id"], "properties": {"id": below, "name": {}}}),
    ] {
        let plan = body(schema.clone(), true);
        let sent = call(&plan, json!({"body": {"name": "Rex"}})).shown();
        assert!(sent.ends_with(r#"{"name":"Rex"}"#), "{schema} {sent}");
        let given = call(&plan, json!({"body": {"id": 2, "name": "Rex"}}));
        let problem = "body.id: expected nothing: the service sets it (`readOnly`), got number (leave it out)";
        assert_eq!(given.problems(), problem, "{schema}");
    }
}

#[test]
fn a_null_in_strict_mode_counts_as_omitted() {
    let planned = call_in(
        &body(pet(), true),
        json!({"name": "Rex", "kind": null, "owner": {"email": null, "country": "FR"}, "labels": null}),
        &Session::default(),
    );
    let shown = planned.shown();
    assert!(shown.ends_with(r#"{"name":"Rex","kind":"dog","owner":{"country":"FR"}}"#), "{shown}");
    assert!(planned.journal().contains("`owner.email` was null and is omitted"));
    let required = call_in(&body(pet(), true), json!({"name": null}), &Session::default());
    assert_eq!(required.problems(), "name: expected string, got null");
}

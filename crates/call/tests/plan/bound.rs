//! Session inputs fail closed: wherever an annotation stands, the value is the session's or the operation is refused.

use crate::prelude::*;
use proptest::prelude::*;

/// The plan of an operation whose body or query parameter has this schema; `None` when it is refused.
fn plan_of(place: &str, schema: &Value, session_inputs: SessionInputs) -> Option<Plan> {
    let operation = if place == "query" {
        let parameter = json!({"name": "body", "in": "query", "style": "deepObject", "explode": true,
            "schema": schema});
        json!({"parameters": [parameter]})
    } else {
        json!({"requestBody": {"content": {"application/json": {"schema": schema}}}})
    };
    let description = json!({"openapi": "3.1.0", "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a": {"post": operation}},
        "components": {"schemas": {
            "Id": {"type": "string", "x-agent-input-parameter": "user"},
            "Session": {"$ref": "@dialogflow/sessionId"},
            "Tree": {"type": "object", "properties": {
                "owner": {"$ref": "#/components/schemas/Id"},
                "next": {"$ref": "#/components/schemas/Tree"},
                "all": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
            "Pet": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}},
                "discriminator": {"propertyName": "kind"}},
            "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"},
                {"properties": {"owner": {"$ref": "#/components/schemas/Id"}}}]}}}});
    let text = description.to_string();
    let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
    let options = LoadOptions { session_inputs, ..LoadOptions::default() };
    let loaded = load(&document, &options);
    loaded.operations.first().cloned().map(Plan::new)
}

fn strict(schema: &Value) -> Option<Plan> {
    plan_of("body", schema, SessionInputs::Strict)
}

fn sent(planned: Planned) -> String {
    match planned.result {
        Ok(request) => String::from_utf8(request.body().to_vec()).unwrap(),
        Err(fault) => {
            format!("fault: {}", fault.problems.first().map_or("", |problem| &problem.at))
        }
    }
}

/// What is sent in `strict` with the user `me`, and without a user.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check(schema: Value, body: Value, with: &str, without: &str) {
    let plan = strict(&schema).expect("the operation is offered");
    let session = Session::new("s-1").with_parameters(members(json!({"user": "me"})));
    assert_eq!(sent(call_in(&plan, json!({"body": body}), &session)), with);
    let nobody = Session::default();
    assert_eq!(sent(call_in(&plan, json!({"body": body}), &nobody)), without);
}

fn user() -> Value {
    json!({"type": "string", "x-agent-input-parameter": "user"})
}

#[test]
fn session_values_are_bound_in_the_branches_of_a_union() {
    let owner = json!({"type": "object", "properties": {"owner": user()}});
    for keyword in ["anyOf", "oneOf"] {
        let shop =
            json!({"type": "object", "properties": {"phone": {}}, "additionalProperties": false});
        let schema = json!({keyword: [owner, shop]});
        check(schema.clone(), json!({"owner": "you"}), r#"{"owner":"me"}"#, "{}");
        check(schema, json!({"phone": "1"}), r#"{"phone":"1"}"#, r#"{"phone":"1"}"#);
    }
    let schema =
        json!({"type": "object", "if": {"properties": {"a": {"const": 1}}}, "then": owner});
    check(schema, json!({"a": 1, "owner": "you"}), r#"{"a":1,"owner":"me"}"#, r#"{"a":1}"#);
    let schema = json!({"type": "object", "dependentSchemas": {"a": owner}});
    check(schema, json!({"a": 1, "owner": "you"}), r#"{"a":1,"owner":"me"}"#, r#"{"a":1}"#);
}

#[test]
fn session_values_are_bound_through_compositions() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = json!({"type": "object", "properties": {"a": {keyword: [user()]}, "b": {}}});
        check(schema, json!({"a": "you"}), r#"{"a":"me"}"#, "{}");
    }
    let schema =
        json!({"type": "object", "properties": {"a": {"oneOf": [{"type": "integer"}, user()]}}});
    check(schema, json!({"a": 7}), r#"{"a":"me"}"#, "{}");
}

#[test]
fn session_values_are_bound_in_maps_and_lists() {
    let map = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": user()});
    check(map, json!({"a": 1, "b": "you"}), r#"{"a":1,"b":"me"}"#, r#"{"a":1}"#);
    let map = json!({"type": "object", "patternProperties": {"^x-": user()}});
    check(map, json!({"x-a": "you", "b": "you"}), r#"{"x-a":"me","b":"you"}"#, r#"{"b":"you"}"#);
    let list = json!({"type": "array", "items": user()});
    check(list, json!(["you", "you"]), r#"["me","me"]"#, "fault: body[]");
    let tuple = json!({"type": "array", "prefixItems": [{"type": "integer"}, user()]});
    check(tuple, json!([1, "you"]), r#"[1,"me"]"#, "fault: body[]");
}

#[test]
fn session_values_are_bound_in_recursive_and_inherited_schemas() {
    let tree = json!({"$ref": "#/components/schemas/Tree"});
    check(
        tree,
        json!({"next": {"next": {"all": [{"owner": "you"}]}}}),
        r#"{"next":{"next":{"all":[{"owner":"me"}],"owner":"me"},"owner":"me"},"owner":"me"}"#,
        r#"{"next":{"next":{"all":[{}]}}}"#,
    );
    let pet = json!({"$ref": "#/components/schemas/Pet"});
    check(
        pet.clone(),
        json!({"kind": "Dog", "owner": "you"}),
        r#"{"kind":"Dog","owner":"me"}"#,
        r#"{"kind":"Dog"}"#,
    );
    check(pet, json!({"kind": "Cat"}), r#"{"kind":"Cat"}"#, r#"{"kind":"Cat"}"#);
}

#[test]
fn session_values_are_bound_in_json_given_as_text() {
    let schema = json!({"type": "object", "properties": {"owner": user(), "deep": {
        "type": "object", "properties": {"owner": user()}}}});
    check(
        schema.clone(),
        json!(r#"{"owner":"you"}"#),
        r#"{"owner":"me","deep":{"owner":"me"}}"#,
        "{}",
    );
    check(
        schema,
        json!({"deep": r#"{"owner":"you"}"#}),
        r#"{"deep":{"owner":"me"},"owner":"me"}"#,
        r#"{"deep":{}}"#,
    );
}

#[test]
fn a_session_value_that_cannot_be_bound_is_refused() {
    for keyword in ["contains", "not", "propertyNames"] {
        let schema =
            |value: Value| json!({"type": "object", "properties": {"a": {keyword: value}}});
        assert!(strict(&schema(user())).is_none(), "{keyword}");
        let lenient = |value| plan_of("body", &schema(value), SessionInputs::Lenient);
        assert!(lenient(user()).is_some(), "{keyword}");
        assert!(lenient(json!({"$ref": "@dialogflow/sessionId"})).is_none(), "{keyword}");
    }
    let unread = json!({"type": "object", "properties": {"a": {"x-agent-input-parameter": 7}}});
    assert!(strict(&unread).is_none());
}

#[test]
fn session_values_inside_an_input_that_the_session_lacks_are_bound() {
    let all = json!({"x-agent-input-parameter": "all", "type": "object", "properties": {
        "id": {"$ref": "@dialogflow/sessionId"}}});
    let plan = plan_of(
        "body",
        &json!({"type": "object", "properties": {"all": all, "b": {}}}),
        SessionInputs::Lenient,
    )
    .unwrap();
    let arguments = json!({"body": {"all": {"id": "you", "b": 1}}});
    assert_eq!(
        sent(call_in(&plan, arguments.clone(), &Session::new("s"))),
        r#"{"all":{"id":"s","b":1}}"#
    );
    assert_eq!(sent(call_in(&plan, arguments, &Session::default())), r#"{"all":{"b":1}}"#);
}

fn holds(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds),
        Value::Object(members) => members.values().any(holds),
        other => other == "VICTIM",
    }
}

/// One step from a value to one inside it: a schema around a schema, and a value around a value.
fn around(step: usize, schema: Value, value: Value) -> (Value, Value) {
    match step {
        0 => (json!({"type": "object", "properties": {"p": schema}}), json!({"p": value})),
        1 => (json!({"type": "array", "items": schema}), json!([value])),
        2 => (json!({"type": "object", "additionalProperties": schema}), json!({"q": value})),
        3 => (json!({"type": "object", "patternProperties": {"^r": schema}}), json!({"r": value})),
        4 => (json!({"prefixItems": [{}, schema]}), json!([0, value])),
        5 => (json!({"allOf": [{}, schema]}), value),
        6 => (json!({"anyOf": [{"type": "boolean"}, schema]}), value),
        7 => (json!({"oneOf": [{"type": "boolean"}, schema]}), value),
        8 => (json!({"if": {"type": "string"}, "then": schema, "else": schema}), value),
        9 => (json!({"dependentSchemas": {"p": schema}}), value),
        10 => (json!({"not": {"not": schema}}), value),
        11 => (json!({"contains": schema}), json!([value])),
        12 => (json!({"unevaluatedProperties": schema}), json!({"s": value})),
        13 => (json!({"prefixItems": [{}], "unevaluatedItems": schema}), json!([0, value])),
        14 => (
            json!({"properties": {"p": schema, "t": {"type": "string"}}, "required": ["p"]}),
            json!({"p": value, "t": "t"}),
        ),
        15 => (
            json!({"x-agent-input-parameter": "nothing", "properties": {"p": schema}}),
            json!({"p": value}),
        ),
        _ => (
            json!({"anyOf": [{"type": "null"}, {"properties": {"p": schema}}]}),
            json!({"p": value}),
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400.max(ProptestConfig::default().cases)))]

    /// Whatever an annotation stands below: the model's value of it is never sent.
    #[test]
    fn the_model_never_chooses_a_session_value(
        steps in proptest::collection::vec(0_usize..17, 0..24),
        kind in 0_usize..3,
        place in prop_oneof![Just("body"), Just("query")],
        as_text in 0_usize..24,
    ) {
        let annotated = match kind {
            0 => json!({"$ref": "#/components/schemas/Session"}),
            1 => json!({"x-ces-session-context": "$context.session_id"}),
            _ => json!({"$ref": "#/components/schemas/Id"}),
        };
        let (mut schema, mut value) = (annotated, json!("VICTIM"));
        for (n, step) in steps.iter().enumerate() {
            (schema, value) = around(*step, schema, value);
            // An object may be written as JSON in a text.
            if n == as_text && value.is_object() {
                value = Value::String(value.to_string());
            }
        }
        let plan = plan_of(place, &schema, SessionInputs::Strict);
        prop_assume!(plan.is_some());
        let plan = plan.unwrap();
        let arguments: Object = members(json!({"body": value}));
        let user = members(json!({"user": "me"}));
        for session in [Session::default(), Session::new("s").with_parameters(user)] {
            let planned = call_in(&plan, Value::Object(arguments.clone()), &session);
            if let Ok(request) = planned.result {
                // A text that only looks like JSON is a text.
                let body = serde_json::from_slice(request.body()).unwrap_or_default();
                let is_sent = holds(&body) || request.uri().to_string().contains("=VICTIM");
                prop_assert!(!is_sent, "{schema} {value}: {} {body}", request.uri());
            }
        }
    }
}

//! A value is converted only if no branch of a union is meant for its own type: a number out of bounds is no text.

use crate::prelude::*;
use callgate_testkit::list;
use proptest::prelude::*;

fn described(schema: Value, is_body: bool) -> Plan {
    let body = json!({"type": "object", "required": ["n"], "properties": {"n": schema}});
    let operation = if is_body {
        json!({"requestBody": {"required": true, "content": {"application/json": {"schema": body}}}})
    } else {
        json!({"parameters": [{"name": "n", "in": "query", "required": true, "schema": schema}]})
    };
    plan(
        &json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}], "paths": {"/x": {"post": operation}}})
        .to_string(),
    )
}

#[track_caller]
fn refused(schema: Value, n: Value, expected: &str) {
    let planned = call(&described(schema, false), json!({"n": n}));
    planned.is_refused(expected);
    assert_eq!(planned.fault().code, FaultCode::InvalidArguments);
}

#[test]
fn a_number_out_of_bounds_is_not_sent_as_a_text() {
    let decimal = json!({"anyOf": [{"type": "number", "maximum": 10.5, "exclusiveMinimum": 0},
        {"type": "string", "pattern": "^[+-]?0*\\d*\\.?\\d*$"}]});
    let bounded =
        json!({"anyOf": [{"type": "integer", "maximum": 10}, {"type": "string", "maxLength": 5}]});
    let format = json!({"anyOf": [{"type": "string", "format": "integer"}, {"type": "integer", "minimum": 0}]});
    refused(decimal.clone(), json!(50), "n: expected at most 10.5, got number 50");
    refused(bounded, json!(50), "n: expected at most 10, got number 50");
    refused(format.clone(), json!(-1), "n: expected at least 0, got number -1");
    refused(format, json!(1.5), "n: expected integer, got number 1.5");
    refused(
        json!({"type": ["string", "integer"]}),
        json!(1.5),
        "n: expected integer or string, got number 1.5",
    );
    call(&described(decimal, false), json!({"n": "50"})).sends("POST /x?n=50");
}

/// A value, branches that are meant for its type and refuse it, and branches of other types that it could be converted to.
const REFUSALS: &str = r#"
    50 => {"type": "integer", "maximum": 10} | {"type": "number", "exclusiveMaximum": 50} | {"type": "integer", "enum": [1, 2]} | {"const": 1.5} | {"type": ["integer", "boolean"], "multipleOf": 7} | {"maximum": 10, "type": ["number", "null"]} => TEXTS
    1.5 => {"type": "integer"} | {"type": "number", "minimum": 2} => TEXTS
    true => {"type": "boolean", "const": false} | {"enum": [false]} => TEXTS
    "50" => NO_TEXTS => {"type": "integer"} | {"type": "number"}
    "true" => NO_TEXTS => {"type": "boolean"} | {"type": ["boolean", "integer"]}
    "#;

const TEXTS: &str = r#"{"type": "string"} | {"type": "string", "maxLength": 5} | {"type": "string", "format": "integer"} | {"type": ["string", "null"]}"#;

const NO_TEXTS: &str = r#"{"type": "string", "maxLength": 1} | {"type": "string", "enum": ["a", "b"]} | {"const": "a"} | {"type": ["null", "string"], "pattern": "^[a-z]$"}"#;

fn refusals() -> Vec<(Value, Vec<Value>, Vec<Value>)> {
    let values = |column: &str| -> Vec<Value> { list(column).into_iter().map(value).collect() };
    let table = REFUSALS.replace("NO_TEXTS", NO_TEXTS).replace("TEXTS", TEXTS);
    rows(&table).map(|[given, own, others]| (value(given), values(own), values(others))).collect()
}

/// A union of two branches in one of several spellings.
fn union(spelling: usize, keyword: &str, first: &Value, second: &Value) -> Value {
    match spelling {
        0 => json!({keyword: [first, second]}),
        1 => json!({keyword: [second, first]}),
        2 => json!({keyword: [{"allOf": [first]}, {"type": "null"}, second]}),
        3 => {
            json!({keyword: [{"anyOf": [second, {"type": "array", "items": {}}]}, {"oneOf": [first, {"type": "null"}]}]})
        }
        4 => json!({"allOf": [{keyword: [first, second]}], "description": "d"}),
        _ => {
            json!({keyword: [second, {"type": "object", "properties": {"n": first}}, first], "title": "t"})
        }
    }
}

proptest! {
    #[test]
    fn a_value_that_the_branch_of_its_own_type_refuses_is_refused(
        (value, own, others) in select(refusals()),
        pick in any::<(prop::sample::Index, prop::sample::Index)>(),
        spelling in 0_usize..6,
        keyword in select(vec!["anyOf", "oneOf"]),
        is_body in any::<bool>(),
    ) {
        let (own, other) = (pick.0.get(&own), pick.1.get(&others));
        let schema = union(spelling, keyword, own, other);
        let planned = call(&described(schema.clone(), is_body), json!({"n": value}));
        prop_assert!(planned.result.is_err(), "{} {}: {}", schema, value, planned.journal());
        // Without a branch of its own type, it is converted.
        let schema = union(spelling, keyword, &json!({"type": "object"}), other);
        let planned = call(&described(schema.clone(), is_body), json!({"n": value}));
        prop_assert!(planned.result.is_ok(), "{} {}", schema, value);
        let is_converted = planned.journal.iter().any(|event| matches!(event, Event::Converted { .. }));
        prop_assert!(is_converted, "{} {}: {}", schema, value, planned.journal());
    }
}

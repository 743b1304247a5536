//! Wrong arguments: what is told, all at once, and what is converted because nothing is lost.

use crate::prelude::*;

fn pet() -> Plan {
    operation(
        "put",
        "/pets/{petId}",
        json!({
            "parameters": [
                {"name": "petId", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}},
                {"name": "verbose", "in": "query", "schema": {"type": "boolean"}},
                {"name": "since", "in": "query", "schema": {"type": "string", "format": "date"}}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
                "type": "object", "required": ["name"], "additionalProperties": false, "properties": {
                    "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[A-Z]"},
                    "status": {"type": "string", "enum": ["available", "pending", "sold"]},
                    "price": {"type": "number", "maximum": 10, "multipleOf": 0.5},
                    "labels": {"type": "array", "maxItems": 3, "uniqueItems": true, "items": {"type": "string"}},
                    "owner": {"type": "object", "required": ["email"], "additionalProperties": false, "properties": {
                        "email": {"type": "string", "format": "email"}, "age": {"type": "integer"}}}}}}}}
        }),
    )
}

#[track_caller]
fn check(arguments: Value, expected: &str) {
    let planned = call(&pet(), arguments);
    assert_eq!(planned.problems(), expected);
    let fault = planned.fault();
    assert_eq!(fault.code, FaultCode::InvalidArguments);
    assert_eq!(fault.next, Next::CorrectArguments);
    assert_eq!(fault.reached, Reached::No);
    assert!(fault.message.len() <= 600, "{}", fault.message);
}

#[test]
fn a_value_of_another_type_is_reported_with_the_type_received() {
    let id = |value| json!({"petId": value, "name": "Rex"});
    check(id(json!("rex")), "petId: expected integer, got string \"rex\"");
    check(id(json!("5abc")), "petId: expected integer, got string \"5abc\"");
    check(id(json!("0x10")), "petId: expected integer, got string \"0x10\"");
    check(id(json!("")), "petId: expected integer, got string \"\"");
    check(id(json!(true)), "petId: expected integer, got boolean true");
    check(id(json!(5.5)), "petId: expected integer, got number 5.5");
    check(id(json!(null)), "petId: expected integer, got null");
    check(id(json!(["a"])), "petId: expected integer, got array of 1 item");
    check(id(json!({"a": 1})), "petId: expected integer, got object of 1 member");
    check(json!({"name": "Rex"}), "petId: expected a value, got nothing");
}

#[test]
fn each_kind_of_violation_has_its_message() {
    check_rows(
        r#"
        {"petId": 0, "name": "Rex"} => petId: expected at least 1, got number 0
        {"petId": 1, "name": "Rex", "verbose": 1} => verbose: expected boolean, got number 1
        {"petId": 1, "name": "R"} => name: expected at least 2 characters, got string "R"
        {"petId": 1, "name": "rex"} => name: expected text that matches `^[A-Z]`, got string "rex"
        {"petId": 1, "name": "Rex", "status": "avialable"} => status: expected one of `available`, `pending`, `sold`, got string "avialable" (`available`)
        {"petId": 1, "name": "Rex", "price": 11} => price: expected at most 10, got number 11
        {"petId": 1, "name": "Rex", "price": 0.7} => price: expected a multiple of 0.5, got number 0.7
        {"petId": 1, "name": "Rex", "labels": ["a", {"b": 1}]} => labels[1]: expected string, got object of 1 member
        {"petId": 1, "name": "Rex", "labels": ["a", "a"]} => labels: expected items that differ from each other, got array of 2 items
        {"petId": 1, "name": "Rex", "labels": ["a", "b", "c", "d"]} => labels: expected at most 3 items, got array of 4 items
        {"petId": 1, "name": "Rex", "owner": {}} => owner.email: expected a value, got nothing
        {"petId": 1, "name": "Rex", "owner": {"email": "x@example.com", "agee": 7}} => owner.agee: expected one of `email`, `age`, got an unknown property (`age`)
        {"petId": 1, "name": "Rex", "owner": {"email": "x", "age": "x"}} => owner.age: expected integer, got string "x"
        "#,
        |[given, expected]| check(value(given), expected),
    );
}

#[test]
fn an_unknown_argument_is_reported_with_the_nearest_name() {
    check(
        json!({"petId": 1, "name": "Rex", "pet_id": 1, "zzz": 2}),
        "pet_id: expected one of `petId`, `verbose`, `since`, `name`, `status`, `price`, `labels`, `owner`, got an unknown argument (`petId`)\n\
         zzz: expected one of `petId`, `verbose`, `since`, `name`, `status`, `price`, `labels`, `owner`, got an unknown argument",
    );
}

#[test]
fn unknown_arguments_beyond_a_bound_are_counted() {
    let unknown = (0..80_000).map(|number| (format!("k{number}"), json!(1)));
    let known = [("petId".to_owned(), json!(1)), ("name".to_owned(), json!("Rex"))];
    let planned = call(&pet(), Value::Object(known.into_iter().chain(unknown).collect()));
    let problems = &planned.fault().problems;
    assert_eq!((problems.len(), &*problems[32].at), (33, "k31"));
    let message = &planned.fault().message;
    let number = "expected known arguments alone, got 80000 unknown arguments, of which 32 are listed; `k0`: ";
    assert!(message.len() <= 600 && message.starts_with(number), "{message}");
}

#[test]
fn members_that_only_answers_have_are_counted_beyond_a_bound() {
    let item = json!({"type": "object", "properties": {
        "id": {"type": "integer", "readOnly": true}, "name": {"type": "string"}}});
    let content = json!({"application/json": {"schema": {
        "type": "object", "properties": {"pets": {"type": "array", "items": item}}}}});
    let plan = operation("post", "/pets", json!({"requestBody": {"content": content}}));
    let pets: Vec<_> = (0..5000).map(|id| json!({"id": id, "name": "Rex"})).collect();
    let planned = call(&plan, json!({"body": {"pets": pets}}));
    let problems = &planned.fault().problems;
    assert_eq!(problems.len(), 129, "{}", planned.problems());
    assert_eq!(problems[128].at, "body.pets[127].id");
    assert_eq!(problems[0].got, "5000 problems, of which 128 are listed");
}

#[test]
fn all_violations_are_reported_at_once() {
    let planned =
        call(&pet(), json!({"petId": "rex", "nmae": "Rex", "labels": [1, {}], "verbose": "maybe"}));
    assert_eq!(planned.fault().problems.len(), 5, "{}", planned.problems());
    assert_eq!(
        planned.fault().message,
        "`nmae`: expected one of `petId`, `verbose`, `since`, `name`, `status`, `price`, `labels`, `owner`, got an unknown argument, did you mean `name`; \
         `name`: expected a value, got nothing; `petId`: expected integer, got string \"rex\"; `verbose`: expected boolean, got string \"maybe\"; \
         `labels[1]`: expected string, got object of 0 members; correct and call again"
    );
}

#[test]
fn a_long_list_of_violations_is_bounded() {
    let items: Vec<_> = (0..1000).map(|at| json!({"n": at})).collect();
    let planned = call(&pet(), json!({"petId": 1, "name": "Rex", "labels": items}));
    let message = &planned.fault().message;
    assert!(message.len() <= 600, "{message}");
    assert!(message.contains(" more; correct and call again"), "{message}");
    assert!(planned.fault().problems.len() <= 64, "{}", planned.fault().problems.len());
    let long = "x".repeat(10_000);
    let planned = call(&pet(), json!({"petId": long, "name": "Rex"}));
    assert!(planned.problems().len() < 200, "{}", planned.problems());
}

#[track_caller]
fn check_converted(arguments: Value, expected: &str, journal: &str) {
    let planned = call(&pet(), arguments);
    assert_eq!(planned.shown(), expected);
    assert_eq!(planned.journal(), journal);
}

#[test]
fn a_lossless_conversion_is_made_and_journaled() {
    check_converted(
        json!({"petId": "42", "verbose": "true", "name": "Rex"}),
        "PUT /v1/pets/42?verbose=true\ncontent-type: application/json\n\n{\"name\":\"Rex\"}",
        "`petId` was converted from string to number\n`verbose` was converted from string to boolean",
    );
    check_converted(
        json!({"petId": 1, "name": "Rex", "labels": "[\"a\",1]"}),
        "PUT /v1/pets/1\ncontent-type: application/json\n\n{\"name\":\"Rex\",\"labels\":[\"a\",\"1\"]}",
        "`labels` was converted from string to array\n`labels[1]` was converted from number to string",
    );
}

#[test]
fn digits_are_preserved_and_integers_lose_a_zero_fraction() {
    let plan = pet();
    let numbers = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let sent =
        call(&plan, numbers(r#"{"petId":9007199254740993,"name":"Rex","price":1.50}"#)).shown();
    assert!(sent.starts_with("PUT /v1/pets/9007199254740993\n"), "{sent}");
    assert!(sent.ends_with(r#"{"name":"Rex","price":1.50}"#), "{sent}");
    let sent = call(
        &plan,
        numbers(r#"{"petId":28.0,"name":"Rex","owner":{"email":"x@example.com","age":7.0}}"#),
    )
    .shown();
    assert!(sent.starts_with("PUT /v1/pets/28\n"), "{sent}");
    assert!(sent.ends_with(r#""age":7}}"#), "{sent}");
}

#[test]
fn overlapping_branches_of_a_one_of_are_accepted() {
    let plan = with_parameters(json!([{"name": "q", "in": "query", "schema":
        {"oneOf": [{"type": "string"}, {"type": "string", "minLength": 1}]}}]));
    assert_eq!(call(&plan, json!({"q": "a"})).shown(), "GET /v1/x?q=a");
    let wrong = call(&plan, json!({"q": {"a": 1}}));
    assert_eq!(wrong.problems(), "q: expected string, got object of 1 member");
}

#[test]
fn a_pattern_that_cannot_be_compiled_is_not_checked() {
    let plan = with_parameters(json!([
        {"name": "a", "in": "query", "schema": {"type": "string", "pattern": "(?<=x)y["}},
        {"name": "b", "in": "query", "schema": {"type": "string", "pattern": "^(a+)+$"}}]));
    assert_eq!(call(&plan, json!({"a": "any"})).shown(), "GET /v1/x?a=any");
    let evil = format!("{}!", "a".repeat(50_000));
    assert!(
        call(&plan, json!({"b": evil})).problems().starts_with("b: expected text that matches")
    );
}

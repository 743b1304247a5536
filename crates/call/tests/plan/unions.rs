//! Faults of unions name the alternative that was meant: the one that a tag names, else the one that fits best.

use crate::prelude::*;
use proptest::prelude::*;

fn body(schema: Value) -> Plan {
    let schema =
        json!({"type": "object", "required": ["payment"], "properties": {"payment": schema}});
    let content = json!({"application/json": {"schema": schema}});
    operation("post", "/x", json!({"requestBody": {"required": true, "content": content}}))
}

#[track_caller]
fn check(schema: Value, payment: Value, expected: &str) {
    let planned = call(&body(schema), json!({"payment": payment}));
    assert_eq!(planned.problems(), expected);
}

fn alternative(required: Value, properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

fn payments(keyword: &str, tag: &dyn Fn(&str) -> Value) -> Value {
    let text = || json!({"type": "string"});
    json!({keyword: [
        alternative(json!(["kind", "last4"]), json!({"kind": tag("card"), "last4": text(), "holder": text()})),
        alternative(json!(["kind", "number", "due"]), json!({"kind": tag("invoice"), "number": text(), "due": text()}))]})
}

#[test]
fn the_alternative_that_the_tag_names_is_explained() {
    for keyword in ["oneOf", "anyOf"] {
        let constant = |value: &str| json!({"const": value});
        let listed = |value: &str| json!({"type": "string", "enum": [value]});
        for tag in [&constant as &dyn Fn(&str) -> Value, &listed] {
            let schema = || payments(keyword, tag);
            check_rows(
                r#"
                {"kind": "card"} => payment.last4: expected a value, got nothing
                {"kind": "invoice", "last4": "1", "due": "x"} => payment.number: expected a value, got nothing
                {"kind": "card", "last4": {}} => payment.last4: expected string, got object of 0 members
                {"kind": "crad", "last4": "1"} => payment.kind: expected one of `card`, `invoice`, got string "crad" (`card`)
                {} => payment.kind: expected one of `card`, `invoice`, got nothing
                {"last4": "1"} => payment.kind: expected `card`, got nothing
                7 => payment: expected object, got number 7
                "#,
                |[payment, expected]| check(schema(), value(payment), expected),
            );
        }
    }
}

#[test]
fn tags_are_found_two_levels_down_and_in_several_members() {
    let meta = |kind: &str| alternative(json!(["kind"]), json!({"kind": {"const": kind}}));
    let deep = || {
        json!({"oneOf": [
        alternative(json!(["meta", "a"]), json!({"meta": meta("one"), "a": {"type": "string"}})),
        alternative(json!(["meta", "b", "c"]), json!({"meta": meta("two"), "b": {}, "c": {}}))]})
    };
    check_rows(
        r#"
        {"meta": {"kind": "two"}, "b": 1} => payment.c: expected a value, got nothing
        {"meta": {"kind": "three"}, "a": "x"} => payment.meta.kind: expected one of `one`, `two`, got string "three"
        {"meta": {}} => payment.meta.kind: expected one of `one`, `two`, got nothing
        "#,
        |[payment, expected]| check(deep(), value(payment), expected),
    );
    let one = |kind: &str, sub: &str, more: &str| {
        alternative(
            json!(["kind", "sub", more]),
            json!({"kind": {"const": kind}, "sub": {"const": sub}, more: {"type": "string"}}),
        )
    };
    let several = || json!({"oneOf": [one("a", "x", "m"), one("a", "y", "n"), one("b", "z", "o")]});
    check(several(), json!({"kind": "a", "sub": "y"}), "payment.n: expected a value, got nothing");
    check(
        several(),
        json!({"kind": "a", "sub": "q", "m": "1"}),
        "payment.sub: expected one of `x`, `y`, got string \"q\"",
    );
}

#[test]
fn the_alternative_whose_members_and_type_fit_best_is_explained() {
    let text = || json!({"type": "string"});
    let by_members = || {
        json!({"anyOf": [
        alternative(json!(["iban", "holder", "bank"]), json!({"iban": text(), "holder": text(), "bank": text()})),
        alternative(json!(["token"]), json!({"token": text()}))]})
    };
    check(
        by_members(),
        json!({"iban": "x", "holder": "y"}),
        "payment.bank: expected a value, got nothing",
    );
    let either = json!({"type": "object", "properties": {"email": text(), "phone": text()},
        "anyOf": [{"required": ["email"]}, {"required": ["phone"]}]});
    check(either, json!({}), "payment.email: expected a value, or one for `phone`, got nothing");
    let by_type = || {
        json!({"oneOf": [text(), alternative(json!(["id"]), json!({"id": text()})),
        {"type": "array", "items": alternative(json!(["id"]), json!({"id": text()}))}, {"type": "null"}]})
    };
    check(by_type(), json!({}), "payment.id: expected a value, got nothing");
    check(by_type(), json!([{"id": "1"}, {}]), "payment[1].id: expected a value, got nothing");
    let words = json!({"anyOf": [{"const": "low"}, {"const": "high"}]});
    check(
        words,
        json!("hihg"),
        "payment: expected one of `low`, `high`, got string \"hihg\" (`high`)",
    );
}

#[test]
fn a_tag_of_all_alternatives_decides_before_an_enumeration_of_some() {
    let constant = |value: &str| json!({"const": value});
    let text = json!({"type": "string"});
    let place = json!({"enum": ["header", "body"]});
    let schema = json!({"oneOf": [
        alternative(json!(["user"]), json!({"type": constant("web"), "user": text})),
        alternative(json!(["type", "place"]), json!({"type": constant("client"), "place": place}))]});
    check(
        schema,
        json!({"type": "client", "place": "head"}),
        "payment.place: expected one of `header`, `body`, got string \"head\" (`header`)",
    );
}

#[test]
fn unions_in_unions_items_and_maps_are_explained() {
    let constant = |value: &str| json!({"const": value});
    let nested = json!({"oneOf": [payments("oneOf", &constant), {"type": "object", "required": ["kind", "x"],
        "properties": {"kind": {"const": "other"}, "x": {}}}]});
    check(nested.clone(), json!({"kind": "card"}), "payment.last4: expected a value, got nothing");
    check(nested.clone(), json!({"kind": "other"}), "payment.x: expected a value, got nothing");
    check(
        nested,
        json!({"kind": "q"}),
        "payment.kind: expected one of `card`, `invoice`, `other`, got string \"q\"",
    );
    check(
        json!({"type": "array", "items": payments("oneOf", &constant)}),
        json!([{"kind": "card", "last4": "1"}, {"kind": "card"}]),
        "payment[1].last4: expected a value, got nothing",
    );
    check(
        json!({"type": "object", "additionalProperties": payments("oneOf", &constant)}),
        json!({"a": {"kind": "card"}}),
        "payment.a.last4: expected a value, got nothing",
    );
    let mut beside = payments("oneOf", &constant);
    beside["properties"] = json!({"id": {"type": "string"}});
    beside["required"] = json!(["id"]);
    check(
        beside,
        json!({"id": "1", "kind": "card"}),
        "payment.last4: expected a value, got nothing",
    );
}

#[test]
fn a_condition_on_a_missing_or_wrong_member_decides_nothing() {
    let schema = || {
        json!({"type": "object", "required": ["kind"],
        "properties": {"kind": {"enum": ["card", "invoice"]}},
        "allOf": [{"if": {"properties": {"kind": {"const": "card"}}}, "then": {"required": ["last4"]},
            "else": {"required": ["number"]}}]})
    };
    let planned = |payment: Value| {
        let content = json!({"application/json": {"schema": {"type": "object", "properties": {"payment": schema()}}}});
        let document = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}],
            "paths": {"/x": {"post": {"responses": {}, "requestBody": {"required": true, "content": content}}}}});
        call(&plan(&document.to_string()), json!({"body": {"payment": payment}})).problems()
    };
    check_rows(
        r#"
        {} => body.payment.kind: expected a value, got nothing
        {"kind": "x"} => body.payment.kind: expected one of `card`, `invoice`, got string "x"
        {"kind": "card"} => body.payment.last4: expected a value, got nothing
        {"kind": "invoice"} => body.payment.number: expected a value, got nothing
        "#,
        |[payment, expected]| assert_eq!(planned(value(payment)), expected),
    );
}

proptest! {
    #[test]
    fn one_broken_or_missing_member_is_named(
        sizes in prop::collection::vec(1_usize..5, 2..6),
        closed in any::<bool>(),
        keyword in select(vec!["oneOf", "anyOf"]),
        pick in any::<prop::sample::Index>(),
        member in any::<prop::sample::Index>(),
        is_removed in any::<bool>(),
    ) {
        let names = |n: usize| (0..n).map(|at| format!("m{at}")).collect::<Vec<_>>();
        let alternatives: Vec<Value> = sizes.iter().enumerate().map(|(at, n)| {
            let mut properties = json!({"tag": {"const": format!("t{at}")}});
            let mut required = vec!["tag".to_owned()];
            for name in names(*n) {
                properties[name.as_str()] = json!({"type": "string", "minLength": 2});
                required.push(name);
            }
            let mut one = alternative(json!(required), properties);
            if closed {
                one["additionalProperties"] = json!(false);
            }
            one
        }).collect();
        let at = pick.index(sizes.len());
        let mut given = json!({"tag": format!("t{at}")});
        for name in names(sizes[at]) {
            given[name.as_str()] = json!("text");
        }
        let mut all = names(sizes[at]);
        all.push("tag".to_owned());
        let changed = &all[member.index(all.len())];
        if is_removed {
            given.as_object_mut().unwrap().remove(changed);
        } else {
            given[changed.as_str()] = json!("x");
        }
        let planned = call(&body(json!({keyword: alternatives})), json!({"payment": given}));
        let problems = planned.problems();
        prop_assert!(problems.starts_with(&format!("payment.{changed}: ")), "{}", problems);
        prop_assert!(!problems.contains('\n'), "{}", problems);
    }
}

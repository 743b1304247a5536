//! Definitions that operations share: each is built once for all of them, charged to none of them, and in the way of none
//! that does not need it.

use crate::prelude::*;
use std::collections::BTreeMap;

use callgate_tool::DefinitionGroup;

/// A description of these schemas, with one operation for each of the bodies.
fn loaded(schemas: &Value, bodies: &[Value], limits: &Limits) -> Loaded {
    let paths: Object = bodies
        .iter()
        .enumerate()
        .map(|(n, schema)| {
            let content = json!({"application/json": {"schema": schema}});
            let post = json!({"summary": "A", "requestBody": {"content": content}});
            (format!("/o{n}"), json!({"post": post}))
        })
        .collect();
    let text = json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "paths": paths,
        "components": {"schemas": schemas}});
    let document = Document::read(text.to_string().as_bytes(), limits).unwrap().value;
    load(&document, &LoadOptions::default())
}

fn to(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A body that holds what others refer to.
fn body(names: &[&str]) -> Value {
    let members = names.iter().map(|name| ((*name).to_owned(), to(name)));
    json!({"type": "object", "properties": members.collect::<Object>()})
}

/// So many schemas in a circle, with a default that is required.
fn circle(size: usize) -> Object {
    let schema = |n: usize| {
        json!({"required": ["kind"], "properties":
        {"kind": {"default": "a"}, "next": to(&format!("S{}", (n + 1) % size))}})
    };
    (0..size).map(|n| (format!("S{n}"), schema(n))).collect()
}

fn groups(operation: &Operation) -> Vec<Arc<DefinitionGroup>> {
    let tool = operation.declaration().unwrap();
    tool.input_schema.definitions().groups().to_vec()
}

fn names(group: &DefinitionGroup) -> Vec<String> {
    group.iter().map(|known| known.name.to_string()).collect()
}

/// The definitions of the declaration of an operation.
fn definitions(operation: &Operation) -> BTreeMap<String, Value> {
    let tool = operation.declaration().unwrap();
    let all = tool.input_schema.definitions().iter();
    all.map(|known| (known.name.to_string(), (*known.schema).clone())).collect()
}

#[test]
fn a_recursive_definition_is_built_once_and_shared() {
    let mut schemas = circle(300);
    schemas.insert("One".to_owned(), json!({"properties": {"a": to("S7")}}));
    schemas.insert("Two".to_owned(), json!({"properties": {"a": to("S90"), "b": to("One")}}));
    let bodies = [body(&["S0"]), body(&["S200"]), body(&["One"]), body(&["Two"])];
    let loaded = loaded(&schemas.into(), &bodies, &Limits::default());
    let found: Vec<_> = loaded.operations.iter().map(|operation| groups(operation)).collect();
    let shared = &found[0][0];
    assert_eq!(names(shared).len(), 300);
    for (groups, own) in found.iter().zip([&[][..], &[], &["One"], &["Two", "One"]]) {
        let (circles, others): (Vec<_>, Vec<_>) =
            groups.iter().partition(|group| Arc::ptr_eq(group, shared));
        assert_eq!(circles.len(), 1);
        assert_eq!(others.into_iter().flat_map(|group| names(group)).collect::<Vec<_>>(), own);
    }
    let first = loaded.operations[0].declaration().unwrap();
    let second = loaded.operations[1].declaration().unwrap();
    assert!(Arc::ptr_eq(first.input_schema.definitions(), second.input_schema.definitions()));
}

#[test]
fn the_effort_of_a_declaration_excludes_shared_definitions() {
    let spent = |size: usize| {
        let bodies: Vec<_> = (0..size).map(|n| body(&[&format!("S{n}")])).collect();
        let loaded = loaded(&circle(size).into(), &bodies, &Limits::default());
        let mut budget = Budget::default();
        for operation in &loaded.operations {
            operation.uncached_declaration(&mut budget).unwrap();
        }
        budget.used_steps()
    };
    let [one, two] = [100, 200].map(spent);
    assert!(two <= 2 * one + 200 && one < 100 * 200, "{one} steps, then {two}");
}

#[test]
fn a_definition_used_with_and_without_defaults_is_built_for_each_use() {
    let mut schemas = circle(3);
    schemas.insert(
        "Above".to_owned(),
        json!({"required": ["kind"], "properties":
        {"kind": {"default": "a"}, "s": to("S0")}}),
    );
    let either = json!({"oneOf": [to("S1"), {"type": "string"}]});
    let mixed = json!({"type": "object", "properties": {"a": to("Above"), "b": either}});
    let filled = body(&["Above"]);
    for bodies in [[mixed.clone(), filled.clone()], [filled.clone(), mixed.clone()]] {
        let is_mixed_first = bodies[0] == mixed;
        let loaded = loaded(&schemas.clone().into(), &bodies, &Limits::default());
        let [first, second] = [0, 1].map(|at| definitions(&loaded.operations[at]));
        let (mixed, filled) = if is_mixed_first { (first, second) } else { (second, first) };
        let asks = |definitions: &BTreeMap<String, Value>, name: &str| {
            definitions[name].get("required").is_some()
        };
        for name in ["S0", "S1", "S2"] {
            assert!(asks(&mixed, name) && !asks(&filled, name), "{name}");
        }
        assert!(!asks(&mixed, "Above") && !asks(&filled, "Above"));
        assert_eq!((mixed.len(), filled.len()), (4, 4));
    }
}

#[test]
fn definitions_with_equal_names_get_names_of_their_own() {
    let schemas = json!({
        "Pet": {"properties": {"Owner": {"type": "object", "properties": {"pet": to("Pet")}}, "owner": to("Owner")}},
        "Owner": {"type": "string"},
        "Shop": {"properties": {"owner": {"$ref": "#/components/schemas/Pet/properties/Owner"}, "own": to("Owner")}},
    });
    let inner = json!({"type": "object", "properties":
        {"a": {"$ref": "#/components/schemas/Pet/properties/Owner"}}});
    let loaded = loaded(&schemas, &[body(&["Pet"]), body(&["Shop"]), inner], &Limits::default());
    let found: Vec<_> = loaded.operations.iter().map(|one| definitions(one)).collect();
    let keys = |at: usize| found[at].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(keys(0), ["Owner", "Pet"]);
    assert_eq!(keys(1), ["Owner", "Owner_2", "Pet", "Shop"]);
    assert_eq!(found[1]["Shop"]["properties"]["own"], json!({"$ref": "#/$defs/Owner_2"}));
    assert_eq!(found[1]["Pet"]["properties"]["owner"], json!({"$ref": "#/$defs/Owner_2"}));
    assert_eq!(found[1]["Owner_2"], json!({"type": "string"}));
    assert_eq!(keys(2), ["Owner", "Owner_2", "Pet"]);
    assert_eq!(found[2]["Owner_2"], json!({"type": "string"}));
}

/// Which operations are refused.
fn refused(loaded: &Loaded) -> Vec<usize> {
    let operations = loaded.report.operations.iter().enumerate();
    let operations = operations.filter(|(_, one)| one.status == OperationStatus::Refused);
    operations.map(|(at, _)| at).collect()
}

#[test]
fn an_expensive_definition_refuses_only_operations_that_reach_it() {
    let wide: Object = (0..200).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let mut schemas = circle(20);
    schemas.insert("Wide".to_owned(), json!({"properties": wide}));
    schemas.insert("Above".to_owned(), json!({"properties": {"a": to("Wide"), "b": to("S0")}}));
    let bodies: Vec<_> = (0..40).map(|n| body(&[["S0", "Wide", "S3", "Above"][n % 4]])).collect();
    let limits = Limits { declaration_effort: 3_000, ..Limits::default() };
    let loaded = loaded(&schemas.into(), &bodies, &limits).with_schema_findings();
    let reaching: Vec<_> = (0..40).filter(|n| n % 2 == 1).collect();
    assert_eq!(refused(&loaded), reaching);
    let found = &loaded.report.diagnostics;
    let places: BTreeSet<_> =
        found.iter().map(|found| (found.code.as_str(), found.pointer.as_str())).collect();
    assert_eq!(places, BTreeSet::from([(Code::TooComplex.as_str(), "/components/schemas/Wide")]));
    assert!(found[0].help.contains("`declaration_effort`"), "{:?}", found[0]);
}

/// Each bound that refuses an operation, or lets schemas go unexamined, names the key that moves it.
#[test]
fn every_exceeded_effort_is_reported_with_its_key() {
    let none = Limits { effort_per_byte: 0, ..Limits::default() };
    let own: Object = (0..200).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let own = json!({"type": "object", "properties": own});
    let bodies: Vec<_> = (0..10).map(|n| if n < 9 { own.clone() } else { body(&["S0"]) }).collect();
    let all = loaded(&circle(20).into(), &bodies, &none);
    let half = all.report.steps / 2;
    let all = all.with_schema_findings();
    assert_eq!((refused(&all), &all.report.diagnostics[..]), (vec![], &[][..]));
    for (limits, key) in [
        (Limits { effort: half, ..none }, "`description_effort`"),
        (Limits { declaration_effort: 3_000, ..none }, "`declaration_effort`"),
        (Limits { all_declarations_effort: 50_000, ..none }, "`all_declarations_effort`"),
        (Limits { shared_definitions_effort: 100, ..none }, "`shared_definitions_effort`"),
    ] {
        let loaded = loaded(&circle(20).into(), &bodies, &limits).with_schema_findings();
        assert!(!refused(&loaded).is_empty(), "{key}");
        let found = loaded.report.diagnostics.iter();
        for found in found.filter(|found| found.code == Code::TooComplex) {
            assert!(found.help.contains(key), "{key}: {found:?}");
        }
    }
}

//! What checking arguments of 64 KiB costs (bar: 50 ms): orders under references, a filter of and, or and comparisons
//! with a wrong leaf, numbers under a composition, texts under patterns.

#![expect(
    clippy::expect_used,
    reason = "a bench whose rows cannot be built has nothing to measure"
)]

use std::{hint::black_box, time::Duration};

use callgate_call::{Evaluator, Verdict};
use callgate_tool::{Value, json};
use criterion::{Criterion, criterion_group, criterion_main};

const SIZE: usize = 64 * 1024;

/// As many of the items as have the size together.
fn filled(item: impl Fn(usize) -> Value) -> Value {
    let (mut items, mut n_bytes) = (Vec::new(), 2);
    while n_bytes < SIZE {
        let next = item(items.len());
        n_bytes += next.to_string().len() + 1;
        items.push(next);
    }
    Value::Array(items)
}

fn orders() -> (Value, Value) {
    let schema = json!({"type": "array", "items": {"$ref": "#/$defs/Line"}, "$defs": {
        "Line": {"type": "object", "required": ["sku"], "additionalProperties": false, "properties": {
            "sku": {"type": "string", "minLength": 1, "pattern": "^[a-z]+-[0-9]+$"}, "count": {"type": "integer", "minimum": 1},
            "price": {"$ref": "#/$defs/Price"}, "notes": {"type": "array", "items": {"type": "string"}}}},
        "Price": {"allOf": [{"type": "object", "properties": {"amount": {"type": "number", "multipleOf": 0.01}}},
            {"properties": {"currency": {"enum": ["EUR", "USD", "CHF"]}}}]}}});
    let amount = Value::parse("12.50").expect("a number");
    let line = |at: usize| {
        json!({"sku": format!("sku-{at}"), "count": at + 1, "price": {"amount": amount.clone(), "currency": "EUR"},
            "notes": ["fragile", "gift wrapping please"]})
    };
    (schema, filled(line))
}

fn filter() -> (Value, Value) {
    let list = |name: &str| {
        json!({"type": "object", "required": [name], "additionalProperties": false,
            "properties": {(name): {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}})
    };
    let schema = json!({"$ref": "#/$defs/Filter", "$defs": {
        "Filter": {"oneOf": [{"$ref": "#/$defs/And"}, {"$ref": "#/$defs/Or"}, {"$ref": "#/$defs/Leaf"}]},
        "And": list("and"), "Or": list("or"),
        "Leaf": {"type": "object", "required": ["field"], "properties": {"field": {"type": "string"}, "value": {"type": "integer"}}}}});
    let mut value = json!({"field": "a", "value": "x"});
    for level in 0..40 {
        let leaves = (0..40).map(|at| json!({"field": format!("f{at}"), "value": at}));
        let all = Value::Array(leaves.chain([value]).collect());
        value = if level % 2 == 0 { json!({"and": all}) } else { json!({"or": all}) };
    }
    (schema, value)
}

fn numbers() -> (Value, Value) {
    let schema = json!({"type": "array", "items": {"$ref": "#/$defs/Item"}, "$defs": {
        "Item": {"allOf": [{"$ref": "#/$defs/Whole"}, {"maximum": 9}]},
        "Whole": {"type": "integer", "minimum": 0}}});
    (schema, filled(|at| json!(at % 10)))
}

fn texts() -> (Value, Value) {
    let schema = json!({"uniqueItems": true, "items": {"anyOf": [
        {"type": "string", "format": "date-time"}, {"type": "string", "pattern": r"^[\p{L}\d_.-]+@[a-z]+\.[a-z]{2,}$"}]}});
    (schema, filled(|at| json!(format!("someone-{at}@example.com"))))
}

fn checks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check 64 KiB");
    for (name, (schema, value), verdict) in [
        ("orders", orders(), Verdict::Valid),
        ("filter with a wrong leaf", filter(), Verdict::Invalid),
        ("numbers", numbers(), Verdict::Valid),
        ("texts", texts(), Verdict::Valid),
    ] {
        let evaluator = Evaluator::new(schema);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let evaluated = evaluator.evaluate("value", black_box(&value));
                assert_eq!(evaluated.verdict, verdict, "{:?}", evaluated.problems);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500));
    targets = checks
}
criterion_main!(benches);

//! Schemas and values that are meant to cost too much: each row says how many steps they may take, a step being one
//! schema applied to one value. Time is not looked at.

use crate::prelude::*;
use callgate_call::Evaluated;

/// What any argument within its bound of 1 MiB may take.
const STEPS: usize = 4_000_000;
const BYTES: usize = 16 << 20;

#[track_caller]
fn check(schema: Value, value: &Value, verdict: Verdict, n_steps: usize) -> Evaluated {
    let evaluator = Evaluator::new(schema);
    assert_eq!(evaluator.unknown_keywords(), Vec::<String>::new());
    let evaluated = evaluator.evaluate("value", value);
    assert_eq!(evaluated.verdict, verdict, "{:?}", evaluated.problems);
    assert!(evaluated.steps <= n_steps.min(STEPS), "{} steps", evaluated.steps);
    assert!(evaluated.bytes <= BYTES, "{} bytes", evaluated.bytes);
    assert_eq!(evaluated.problems.is_empty(), verdict != Verdict::Invalid);
    evaluated
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Object>())
}

/// A filter of and, or, not and comparisons, as search services have it.
fn filter() -> Value {
    let list = |name: &str| {
        json!({"type": "object", "required": [name], "additionalProperties": false,
            "properties": {(name): {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}})
    };
    json!({"$ref": "#/$defs/Filter", "$defs": {
        "Filter": {"oneOf": [{"$ref": "#/$defs/And"}, {"$ref": "#/$defs/Or"}, {"$ref": "#/$defs/Not"}, {"$ref": "#/$defs/Leaf"}]},
        "And": list("and"), "Or": list("or"),
        "Not": {"type": "object", "required": ["not"], "properties": {"not": {"$ref": "#/$defs/Filter"}}},
        "Leaf": {"type": "object", "required": ["field"], "properties": {"field": {"type": "string"}, "value": {"type": "integer"}}}}})
}

#[test]
fn a_wrong_leaf_deep_in_a_recursive_filter_costs_as_much_as_the_filter_is_long() {
    let mut steps = Vec::new();
    for depth in [15, 30, 60] {
        let mut value = json!({"field": 7});
        for level in 0..depth {
            value = if level % 2 == 0 { json!({"and": [value]}) } else { json!({"or": [value]}) };
        }
        let evaluated = check(filter(), &value, Verdict::Invalid, 400 * depth);
        steps.push(evaluated.steps);
    }
    assert!(steps[2] < 5 * steps[0], "{steps:?}");
    let value = json!({"and": [{"or": [{"and": [{"field": 7}]}]}]});
    let evaluated = check(filter(), &value, Verdict::Invalid, 1000);
    assert_eq!(evaluated.problems[0].at, "value.and[0].or[0].and[0].field");
    assert_eq!(evaluated.problems[0].expected, "string");
}

#[test]
fn doubling_references_are_checked_in_linear_steps() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let level = |at: usize| {
            let next = format!("#/$defs/L{}", at + 1);
            (format!("L{at}"), json!({(keyword): [{"$ref": next}, {"$ref": next}]}))
        };
        let mut definitions: Vec<_> = (0..30).map(level).collect();
        definitions.push(("L30".to_owned(), json!({"type": "object", "required": ["a"]})));
        let schema = json!({"$ref": "#/$defs/L0", "$defs": object(definitions)});
        check(schema.clone(), &json!({}), Verdict::Invalid, 3000);
        if keyword == "allOf" {
            check(schema.clone(), &json!({"a": 1}), Verdict::Valid, 200);
            let names = json!({"propertyNames": {"$ref": "#/$defs/L0"}, "$defs": schema["$defs"]});
            check(names, &json!({"b": 1}), Verdict::Invalid, 3000);
        }
    }
}

#[test]
fn half_a_million_numbers_under_references_and_bounds_pass() {
    let schema = json!({"$ref": "#/$defs/List", "$defs": {
        "List": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "Item": {"allOf": [{"$ref": "#/$defs/Whole"}, {"maximum": 9}]},
        "Whole": {"type": "integer", "minimum": 0}}});
    let value = Value::Array(vec![json!(1); 500_000]);
    let evaluated = check(schema.clone(), &value, Verdict::Valid, 1_500_000);
    assert!(evaluated.steps > 500_000);
    let tenth =
        check(schema.clone(), &Value::Array(vec![json!(1); 50_000]), Verdict::Valid, 150_001);
    assert!(evaluated.steps <= 10 * tenth.steps);
    let mut wrong = vec![json!(1); 500_000];
    wrong.push(json!("1x"));
    let evaluated = check(schema, &Value::Array(wrong), Verdict::Invalid, STEPS);
    assert_eq!(evaluated.problems[0].at, "value[500000]");
}

#[test]
fn a_third_of_a_million_objects_under_a_composition_pass_in_bounded_memory() {
    let schema = json!({"items": {"$ref": "#/$defs/One"}, "$defs": {
        "One": {"anyOf": [{"$ref": "#/$defs/Other"}, {"type": "object"}]},
        "Other": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/One"}}}}});
    let value = Value::Array(vec![json!({}); 349_000]);
    let evaluated = check(schema, &value, Verdict::Valid, 1_400_000);
    assert!(evaluated.bytes > 0);
}

#[test]
fn unique_items_are_checked_in_linear_steps() {
    let unique = json!({"uniqueItems": true});
    let mut items: Vec<_> = (0..100_000).map(|at| json!(at)).collect();
    check(unique.clone(), &Value::Array(items.clone()), Verdict::Valid, 200_000);
    items.push(Value::parse("7.0").unwrap());
    check(unique.clone(), &Value::Array(items), Verdict::Invalid, 500_000);
    let objects: Vec<_> = (0..20_000).map(|at| json!({"a": [at], "b": {"c": at}})).collect();
    check(unique.clone(), &Value::Array(objects), Verdict::Valid, 200_000);
    let equal = Value::Array(vec![json!(1); 500_000]);
    check(unique.clone(), &equal, Verdict::Invalid, 2_000_000);
    let alike = json!([{"a": 1, "b": 2.0}, {"b": 2, "a": 1}]);
    check(unique, &alike, Verdict::Invalid, 100);
}

#[test]
fn a_long_list_of_legal_values_is_looked_up() {
    let legal: Vec<_> = (0..10_000).map(|at| json!(format!("value-{at}"))).collect();
    let schema = json!({"items": {"enum": legal}});
    check(
        schema.clone(),
        &Value::Array(legal.iter().rev().cloned().collect()),
        Verdict::Valid,
        20_001,
    );
    check(schema, &json!(["value-10000"]), Verdict::Invalid, 20);
    let lists: Vec<_> = (0..100).map(|at| json!([at, {"a": at}])).collect();
    check(json!({"items": {"enum": lists}}), &Value::Array(lists.clone()), Verdict::Valid, 10_000);
}

#[test]
fn contains_is_checked_in_linear_steps() {
    let value = Value::Array((0..100_000).map(|at| json!(at)).collect());
    let schema = |least: u64, most: u64| json!({"contains": {"multipleOf": 2}, "minContains": least, "maxContains": most});
    check(schema(1, 50_000), &value, Verdict::Valid, 200_000);
    check(schema(50_001, 99_999), &value, Verdict::Invalid, 500_000);
    check(schema(0, 49_999), &value, Verdict::Invalid, 500_000);
    check(json!({"contains": {"const": 3}}), &value, Verdict::Valid, 10);
}

#[test]
fn numbers_are_compared_by_their_digits() {
    let number = |digits: &str| -> Value { Value::parse(digits).unwrap() };
    for (schema, value, verdict) in [
        (r#"{"multipleOf": 3}"#, "1e999999999", Verdict::Invalid),
        (r#"{"multipleOf": 2}"#, "1e999999999", Verdict::Valid),
        (r#"{"type": "integer"}"#, "1e999999999", Verdict::Valid),
        (r#"{"type": "integer"}"#, "1e-999999999", Verdict::Invalid),
        (r#"{"maximum": 1e308}"#, "1e309", Verdict::Invalid),
        (r#"{"minimum": 9007199254740993}"#, "9007199254740992", Verdict::Invalid),
        (r#"{"exclusiveMaximum": 0.3}"#, "0.30000000000000000001", Verdict::Invalid),
        (r#"{"multipleOf": 0.01}"#, "4.35", Verdict::Valid),
        (r#"{"multipleOf": 1e-8}"#, "12391239123", Verdict::Valid),
        (r#"{"const": 1.0}"#, "1", Verdict::Valid),
        (r#"{"enum": [10e-1, 2, 3, 4, 5, 6, 7, 8, 9]}"#, "1.00", Verdict::Valid),
        (r#"{"type": "integer"}"#, "1.0", Verdict::Valid),
        (r#"{"type": "integer"}"#, "1.5", Verdict::Invalid),
    ] {
        check(number(schema), &number(value), verdict, 20);
    }
    let long = number(&format!("0.{}", "7".repeat(1 << 20)));
    let branches = Value::Array(vec![json!({"multipleOf": 3}); 20]);
    check(json!({"anyOf": branches}), &long, Verdict::TooDear, usize::MAX);
}

#[test]
fn a_value_of_maximum_depth_is_checked() {
    let tree = json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "object", "allOf": [{"$ref": "#/$defs/Base"}],
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]}}},
        "Base": {"type": "object", "properties": {"name": {"type": "string"}}}}});
    let mut value = json!({"name": 7});
    for _ in 0..120 {
        value = json!({"name": "n", "next": value});
    }
    check(tree, &value, Verdict::Invalid, 20_000);
}

/// A stack of so many bytes is enough: three quarters of what a thread of tokio has.
const STACK: usize = 3 << 19;

#[test]
fn no_depth_of_schemas_and_values_exhausts_the_stack() {
    let deep = |wrap: fn(Value) -> Value| (0..2000).fold(json!([]), |value, _| wrap(value));
    let lists = json!({"type": "array", "items": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}]});
    let members = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "string"}],
        "unevaluatedProperties": false}, "B": {"if": {"type": "object"}, "then": {"allOf": [{"$ref": "#/$defs/C"}, {"type": "object"}]}},
        "C": {"type": "object", "additionalProperties": false, "patternProperties": {"^a": {"$ref": "#/$defs/A"}}}}});
    for (schema, value) in
        [(lists, deep(|value| json!([value]))), (members, deep(|value| json!({"a": value})))]
    {
        let row = move || {
            check(schema, &value, Verdict::TooDear, 20_000);
            // A value that is dropped recurses, too: that is not what is looked at.
            std::mem::forget(value);
        };
        std::thread::Builder::new().stack_size(STACK).spawn(row).unwrap().join().unwrap();
    }
}

#[test]
fn the_check_of_cyclic_references_ends() {
    let one = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
    for schema in [json!({"$ref": "#"}), json!({"allOf": [{"$ref": "#"}]}), one] {
        check(schema, &json!({"a": 1}), Verdict::Valid, 10);
    }
    let schema = json!({"allOf": [{"$ref": "#"}, {"type": "string"}]});
    check(schema, &json!(1), Verdict::Invalid, 20);
    let chain = (0..10_000).map(|at| {
        (
            format!("L{at}"),
            json!({"allOf": [{"$ref": format!("#/$defs/L{}", at + 1)}], "minimum": 0}),
        )
    });
    let definitions = object(chain.chain([("L10000".to_owned(), json!({"type": "string"}))]));
    let schema = json!({"$ref": "#/$defs/L0", "$defs": definitions});
    check(schema, &json!(1), Verdict::TooDear, 1000);
}

#[test]
fn unevaluated_members_are_checked_once_for_each_level() {
    let level = |at: usize| {
        let next = json!({"$ref": format!("#/$defs/L{}", at + 1)});
        let one = json!({"anyOf": [next, next], "unevaluatedProperties": false});
        (format!("L{at}"), one)
    };
    let mut definitions: Vec<_> = (0..20).map(level).collect();
    definitions.push(("L20".to_owned(), json!({"properties": {"a": true}})));
    let schema = json!({"$ref": "#/$defs/L0", "$defs": object(definitions)});
    check(schema.clone(), &json!({"a": 1}), Verdict::Valid, 3000);
    check(schema, &json!({"b": 1}), Verdict::Invalid, 10_000);
}

#[test]
fn many_branches_over_a_large_value_exceed_the_budget() {
    let branches: Vec<_> = (0..1000).map(|at| json!({"required": [format!("z{at}")]})).collect();
    let names: Vec<_> = (0..1000)
        .map(
            |at| json!({"properties": {(format!("z{at}")): {"type": "string"}}, "required": ["z"]}),
        )
        .collect();
    let value = object((0..50_000).map(|at| (format!("a{at}"), json!(at))));
    check(json!({"anyOf": branches}), &value, Verdict::Invalid, 20_000);
    check(json!({"anyOf": names}), &value, Verdict::TooDear, usize::MAX);
    let patterns: Vec<_> = (0..200).map(|at| json!({"pattern": format!("^a*{at}$")})).collect();
    let text = json!("a".repeat(1 << 19));
    check(json!({"anyOf": patterns}), &text, Verdict::TooDear, usize::MAX);
}

#[test]
fn an_unsupported_pattern_leaves_the_others_in_force() {
    for bad in [r"^[\p{L}]{1,1000}$", r"^.{0,262144}$", r"^\p{Print}+$", r"(?=a)b"] {
        let schema = json!({"properties": {"a": {"pattern": bad}, "b": {"pattern": "^[0-9]{8}$"}}});
        let evaluator = Evaluator::new(schema);
        assert_eq!(evaluator.unknown_keywords(), ["/properties/a/pattern"], "{bad}");
        let verdict = |value: Value| evaluator.evaluate("value", &value).verdict;
        assert_eq!(verdict(json!({"a": "7 \u{7}", "b": "12345678"})), Verdict::Valid);
        assert_eq!(verdict(json!({"b": "1234"})), Verdict::Invalid);
    }
}

#[test]
fn unknown_keywords_are_reported() {
    let evaluator = Evaluator::new(json!({
        "$id": "urn:x", "title": "T", "$dynamicRef": "#a", "x-note": 1, "minimum": "5", "multipleOf": 0, "$ref": "other.json",
        "format": "hostname", "properties": {"a/b": {"type": "text", "items": [1]}}, "$defs": {"Unused": {"nope": 1}}}));
    assert_eq!(
        evaluator.unknown_keywords(),
        [
            "/$dynamicRef",
            "/$ref",
            "/minimum",
            "/multipleOf",
            "/properties/a~1b/items",
            "/properties/a~1b/type",
            "/x-note"
        ]
    );
    assert_eq!(evaluator.evaluate("value", &json!({"a/b": 1})).verdict, Verdict::Valid);
}

#[test]
fn arguments_too_costly_or_too_deep_are_reported_and_not_sent() {
    let branches: Vec<_> =
        (0..1000).map(|at| json!({"contains": {"const": format!("{at}")}})).collect();
    let plan = with_parameters(json!([
        {"name": "q", "in": "query", "schema": {"anyOf": branches}}, {"name": "n", "in": "query", "schema": {"type": "integer"}}]));
    let planned = call(&plan, json!({"q": vec!["a"; 10_000], "n": 1}));
    planned.is_refused("q: expected a value that can be checked in 4,000,000 steps, got one that takes more (give fewer or simpler values in one call)");
}

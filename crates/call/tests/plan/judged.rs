//! Compares the evaluator with another validator, over schemas that are made at random: the two agree wherever the other
//! one has a word. Numbers are small, since the other one computes with floating point.

use crate::prelude::*;
use proptest::prelude::*;

/// Names and texts are few, so that schemas and values meet.
const NAMES: [&str; 4] = ["a", "b", "ab", "é"];

fn name() -> impl Strategy<Value = String> {
    select(NAMES.to_vec()).prop_map(str::to_owned)
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Object>())
}

fn number() -> BoxedStrategy<Value> {
    let halves = (-6_i32..7).prop_map(|half| {
        let sign = if half < 0 { "-" } else { "" };
        let half = half.abs();
        let rest = if half % 2 == 1 { "5" } else { "0" };
        Value::parse(&format!("{sign}{}.{rest}", half / 2)).expect("a number")
    });
    prop_oneof![(-3_i64..4).prop_map(Value::from), halves].boxed()
}

fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        name().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((name(), inner), 0..4).prop_map(object),
        ]
    })
    .boxed()
}

/// A keyword that needs no other schema.
fn plain() -> BoxedStrategy<(String, Value)> {
    let kinds = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let kind = || select(kinds.to_vec());
    let counts =
        ["maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"];
    let limits = ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"];
    let patterns = ["^a", "b$", "^[a-z]+$", r"\w", "^.$", r"^\D*$"];
    let some = || prop::sample::subsequence(NAMES.to_vec(), 0..3);
    let one = |keyword: &'static str, value: BoxedStrategy<Value>| {
        value.prop_map(move |value| (keyword.to_owned(), value)).boxed()
    };
    prop_oneof![
        one("type", kind().prop_map(Value::from).boxed()),
        one(
            "type",
            prop::sample::subsequence(kinds.to_vec(), 1..4).prop_map(|each| json!(each)).boxed()
        ),
        one("const", value()),
        one("enum", prop::collection::vec(value(), 1..12).prop_map(Value::Array).boxed()),
        (select(counts.to_vec()), 0_u64..4)
            .prop_map(|(keyword, count)| (keyword.to_owned(), count.into())),
        (select(limits.to_vec()), number())
            .prop_map(|(keyword, limit)| (keyword.to_owned(), limit)),
        one("multipleOf", select(vec![json!(1), json!(2), json!(0.5)]).boxed()),
        one("pattern", select(patterns.to_vec()).prop_map(Value::from).boxed()),
        one("uniqueItems", any::<bool>().prop_map(Value::from).boxed()),
        one("required", some().prop_map(|each| json!(each)).boxed()),
        one(
            "dependentRequired",
            (name(), some()).prop_map(|(name, each)| json!({(name): each})).boxed()
        ),
    ]
    .boxed()
}

/// A schema; references lead to definitions that refer to later ones in place, and to any below members and items.
fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        8 => prop::collection::vec(plain(), 0..3).prop_map(object),
    ];
    leaf.prop_recursive(3, 32, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::Array).boxed();
        let reference = (0..DEFINITIONS).prop_map(|at| json!({"$ref": format!("#/$defs/D{at}")}));
        let below = prop_oneof![3 => inner.clone(), 1 => reference].boxed();
        let map = |schemas: BoxedStrategy<Value>| {
            prop::collection::vec((name(), schemas), 0..3).prop_map(object).boxed()
        };
        let lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
        let singles = ["not", "if", "then", "else", "propertyNames"];
        let belows = [
            "items",
            "contains",
            "additionalProperties",
            "unevaluatedProperties",
            "unevaluatedItems",
        ];
        let composed = prop_oneof![
            (select(lists.to_vec()), list).prop_map(|(word, each)| (word.to_owned(), each)),
            (select(singles.to_vec()), inner.clone())
                .prop_map(|(word, one)| (word.to_owned(), one)),
            (select(belows.to_vec()), below.clone()).prop_map(|(word, one)| (word.to_owned(), one)),
            map(below).prop_map(|each| ("properties".to_owned(), each)),
            map(inner.clone()).prop_map(|each| ("dependentSchemas".to_owned(), each)),
            inner.prop_map(|one| ("patternProperties".to_owned(), json!({"^a": one}))),
        ];
        (prop::collection::vec(plain(), 0..2), prop::collection::vec(composed, 1..4), 0_u64..3)
            .prop_map(|(plain, composed, least)| {
                let least = [("minContains".to_owned(), least.into())];
                object(plain.into_iter().chain(composed).chain(least))
            })
    })
    .boxed()
}

const DEFINITIONS: usize = 3;

/// A schema whose definitions refer to the next in place.
fn whole() -> impl Strategy<Value = Value> {
    let definition = (schema(), any::<bool>());
    (schema(), prop::collection::vec(definition, DEFINITIONS)).prop_map(|(root, definitions)| {
        let last = definitions.len() - 1;
        let each = definitions.into_iter().enumerate().map(|(at, (own, goes_on))| {
            let next = json!({"$ref": format!("#/$defs/D{}", at + 1)});
            let all = if goes_on && at < last { json!([own, next, next]) } else { json!([own]) };
            (format!("D{at}"), json!({"allOf": all}))
        });
        json!({"allOf": [root, {"$ref": "#/$defs/D0"}], "$defs": object(each)})
    })
}

fn foreign(value: &Value) -> serde_json::Value {
    serde_json::from_str(&value.to_string()).expect("JSON")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400.max(ProptestConfig::default().cases), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_evaluator_agrees_with_another_validator(schema in whole(), values in prop::collection::vec(value(), 12)) {
        let other = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(&foreign(&schema))
            .expect("a schema");
        let ours = Evaluator::new(schema.clone());
        prop_assert_eq!(ours.unknown_keywords(), Vec::<String>::new());
        for value in &values {
            let expected = if other.is_valid(&foreign(value)) { Verdict::Valid } else { Verdict::Invalid };
            let evaluated = ours.evaluate("value", value);
            prop_assert_eq!(evaluated.verdict, expected, "{}\n{}", schema, value);
            prop_assert_eq!(evaluated.problems.is_empty(), expected == Verdict::Valid, "{}\n{}", schema, value);
        }
    }
}

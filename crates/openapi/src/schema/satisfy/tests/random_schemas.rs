//! Compares the search with another validator, over schemas that are made at random: it accepts no value for a schema
//! that is reported. The share of the schemas without any accepted value that is reported is printed.

use callgate_tree::Path;
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};

use super::{
    super::schema_conflict,
    candidates::{Candidates, NAMES},
};
use crate::sample::document;

fn word() -> impl Strategy<Value = Value> {
    let values = json!(["a", "b", "abc", 1, 2, 1.5, true, null]);
    prop::sample::select(values.as_array().unwrap().clone())
}

fn names() -> impl Strategy<Value = Value> {
    prop::sample::subsequence(NAMES.to_vec(), 1..3).prop_map(|names| json!(names))
}

fn keyword(
    name: &'static str,
    value: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<(String, Value)> {
    value.prop_map(move |value| (name.to_owned(), value)).boxed()
}

fn plain() -> BoxedStrategy<(String, Value)> {
    let kinds = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let counts =
        "maxItems minItems maxLength minLength maxProperties minProperties minContains maxContains";
    let limits = ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"];
    prop_oneof![
        6 => keyword("type", prop::sample::select(kinds.to_vec()).prop_map(Value::from)),
        1 => keyword("type", prop::sample::subsequence(kinds.to_vec(), 1..3).prop_map(|kinds| json!(kinds))),
        2 => keyword("const", word()),
        2 => keyword("enum", prop::collection::vec(word(), 1..4).prop_map(Value::Array)),
        4 => (prop::sample::select(counts.split(' ').collect::<Vec<_>>()), 0_u64..4).prop_map(|(name, n)| (name.to_owned(), json!(n))),
        4 => (prop::sample::select(limits.to_vec()), -3_i32..6).prop_map(|(name, n)| (name.to_owned(), json!(f64::from(n) / 2.0))),
        1 => keyword("multipleOf", prop::sample::select(vec![json!(1), json!(2), json!(3), json!(0.5)])),
        4 => keyword("required", names()),
        1 => keyword("dependentRequired", names().prop_map(|names| json!({"a": names}))),
    ]
    .boxed()
}

fn object(members: Vec<(String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Map<_, _>>())
}

fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        2 => (0..DEFINITIONS).prop_map(|at| json!({"$ref": format!("#/D{at}")})),
        9 => prop::collection::vec(plain(), 1..4).prop_map(object),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::Array).boxed();
        let map = prop::collection::vec((prop::sample::select(NAMES.to_vec()), inner.clone()), 1..3);
        let map = map.prop_map(|each| object(each.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()));
        let composed = prop_oneof![
            4 => keyword("allOf", list.clone()),
            2 => keyword("anyOf", list.clone()),
            2 => keyword("oneOf", list.clone()),
            1 => keyword("prefixItems", list),
            1 => keyword("not", inner.clone()),
            2 => keyword("items", inner.clone()),
            1 => keyword("contains", inner.clone()),
            2 => keyword("additionalProperties", prop_oneof![2 => Just(json!(false)), 1 => inner.clone()]),
            4 => keyword("properties", map),
            1 => keyword("patternProperties", inner.clone().prop_map(|one| json!({"^a": one}))),
            1 => keyword("if", inner),
        ];
        (prop::collection::vec(plain(), 0..3), prop::collection::vec(composed, 1..4))
            .prop_map(|(plain, composed)| object(plain.into_iter().chain(composed).collect()))
    })
    .boxed()
}

/// A document of one schema and definitions, which refer to each other only below members and items or in circles.
fn whole() -> impl Strategy<Value = Value> {
    (schema(), prop::collection::vec(schema(), DEFINITIONS)).prop_map(|(root, each)| {
        let mut whole = json!({"schema": root});
        for (at, definition) in each.into_iter().enumerate() {
            whole[format!("D{at}")] = definition;
        }
        whole
    })
}

/// A validator of the schema; `None` if it is circular in place.
fn validator(whole: &Value) -> Option<jsonschema::Validator> {
    let mut judged = whole.clone();
    judged["$ref"] = json!("#/schema");
    jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(&judged).ok()
}

/// True if a definition applies to one value through itself: the other validator does not end.
fn is_circular(whole: &Value) -> bool {
    fn reaches(whole: &Value, schema: &Value, depth: usize) -> bool {
        if depth == 0 {
            return true;
        }
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|to| whole.pointer(to.strip_prefix('#')?));
        let lists = ["allOf", "anyOf", "oneOf"]
            .iter()
            .filter_map(|name| schema.get(*name)?.as_array())
            .flatten();
        let single = ["not", "if"].iter().filter_map(|name| schema.get(*name));
        target.into_iter().chain(lists).chain(single).any(|next| reaches(whole, next, depth - 1))
    }
    reaches(whole, &whole["schema"], 40)
        || (0..DEFINITIONS).any(|at| reaches(whole, &whole[format!("D{at}")], 40))
}

#[expect(clippy::print_stderr, reason = "the counts are read by people")]
#[test]
fn no_value_meets_a_schema_that_is_reported() {
    let cases = usize::try_from(ProptestConfig::default().cases).unwrap();
    let cases = if cases > 256 { cases } else { 2_000 };
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]),
    );
    let schemas = whole();
    let (mut n_reported, mut n_never, mut n_missed) = (0, 0, 0);
    for case in 0..cases {
        let text = schemas.new_tree(&mut runner).unwrap().current();
        if is_circular(&text) {
            continue;
        }
        let Some(validator) = validator(&text) else { continue };
        let document = document(text.to_string().parse().unwrap());
        let node = document.root().get("schema").unwrap();
        let found = schema_conflict(&document, node, &Path::at("/schema"));
        // Without a finding the values only serve to count.
        if found.is_none() && case % COUNTED != 0 {
            continue;
        }
        let mut candidates = Candidates { root: &text, rng: runner.new_rng() };
        let values = candidates.of(&text["schema"], if found.is_some() { 60 } else { 200 });
        let accepted = values.iter().find(|value| validator.is_valid(value));
        match (&found, accepted) {
            (Some(found), Some(value)) => panic!("{} but {value} meets {text}", found.message()),
            (Some(_), None) => n_reported += 1,
            (None, _) => {}
        }
        if case % COUNTED == 0 && accepted.is_none() {
            n_never += 1;
            n_missed += usize::from(found.is_none());
            if found.is_none() && std::env::args().any(|argument| argument == "--nocapture") {
                eprintln!("not reported: {text}");
            }
        }
    }
    eprintln!(
        "{cases} schemas, {n_reported} reported; of {n_never} that no value met {n_missed} are not"
    );
    assert!(n_reported > cases / 20);
    assert!(n_missed * 5 <= n_never * 2, "{n_missed} of {n_never}");
}

const DEFINITIONS: usize = 2;

/// Of every so many schemas one counts for the share that is found.
const COUNTED: usize = 10;

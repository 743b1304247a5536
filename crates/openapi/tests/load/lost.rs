//! Nothing is lost in silence: as a property over schemas whose keywords are right and wrong, each wrong one has a finding at its
//! place and the others stay; and over descriptions whose operations are right and wrong, each is exposed, degraded or refused.

use crate::prelude::*;
use callgate_testkit::{list, rows};
use proptest::{
    prelude::*,
    test_runner::{Config, TestCaseResult, TestRunner},
};

/// What becomes of a keyword.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    /// It stands in the declaration as it is written.
    Kept,
    /// It is reported, and left out or mended.
    Lost,
    /// It stands in the declaration and is reported: values are not checked against it.
    Words,
}

/// Keywords that say nothing of each other, each with values that are kept, lost, and told in words.
const KEYWORDS: &str = r#"
    title => "T" => 7 =>
    description => "D" => ["D"] =>
    deprecated => true => "yes" =>
    format => "uuid" => 1 =>
    minLength => 1 => "1" | -1 =>
    maxLength => 9 => 1.5 | null =>
    maxlength =>  => 9 =>
    minItems => 2 => [] =>
    uniqueItems => true => "yes" =>
    multipleOf => 2 => "2" =>
    minimum => 0 => "0" =>
    exclusiveMaximum => 9 => "9" =>
    enum => ["a", "b"] => "a" | [] =>
    type => "string" => "strng" | [] | 1 =>
    pattern => "^a+$" => 7 => "^.{0,262144}$" | "\\p{Print}" | "(?=a)"
    patternProperties => {"^x": {"type": "string"}} => [] => {"(?=a)": {}}
    propertyNames => {"maxLength": 3} => "x" =>
    required => ["p"] => true | ["p", 7] =>
    dependentRequired => {"a": ["b"]} => {"a": "b"} | {"a": [1]} =>
    additionalProperties => {"type": "integer"} => "no" =>
    contains => {"type": "integer"} => 1 =>
    not => {"type": "null"} => [] =>
    anyOf => [{"maxLength": 5}, true] => {} | "x" =>
    nullable =>  => "yes" =>
    "#;

fn keywords() -> Vec<(&'static str, Vec<(Value, Fate)>)> {
    let row = |[name, kept, lost, words]: [&'static str; 4]| {
        let fates = [(kept, Fate::Kept), (lost, Fate::Lost), (words, Fate::Words)];
        let values = fates.into_iter().flat_map(|(texts, fate)| {
            list(texts).into_iter().map(move |text| (text.parse::<Value>().unwrap(), fate))
        });
        (name, values.collect())
    };
    rows(KEYWORDS).map(row).collect()
}

/// Some of them, each with one of the values that it may have.
fn drawn() -> impl Strategy<Value = Vec<(&'static str, Value, Fate)>> {
    let every = keywords();
    let n = every.len();
    let one = move |(name, values): (&'static str, Vec<(Value, Fate)>)| {
        prop::sample::select(values).prop_map(move |(value, fate)| (name, value, fate))
    };
    let all: Vec<_> = every.into_iter().map(one).collect();
    (all, prop::collection::vec(any::<bool>(), n)).prop_map(|(all, is_in)| {
        all.into_iter().zip(is_in).filter(|(_, is_in)| *is_in).map(|(one, _)| one).collect()
    })
}

/// Where a schema stands in another one.
const PLACES: [&[&str]; 6] = [
    &[],
    &["items"],
    &["properties", "x"],
    &["additionalProperties"],
    &["allOf", "0"],
    &["anyOf", "1"],
];

fn placed(place: &[&str], schema: &Value) -> Value {
    match place {
        [] => schema.clone(),
        ["properties", name] => json!({"type": "object", "properties": {*name: schema}}),
        ["allOf", _] => json!({"allOf": [schema]}),
        ["anyOf", _] => json!({"anyOf": [{"type": "boolean"}, schema]}),
        [keyword, ..] => json!({*keyword: schema}),
    }
}

fn read(description: &Value, limits: &Limits) -> Loaded {
    let document = Document::read(description.to_string().as_bytes(), limits).unwrap().value;
    load(&document, &LoadOptions::default()).with_schema_findings()
}

fn description(paths: &Value) -> Value {
    json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": paths})
}

/// Every operation is in one column, and those that are not refused are tools.
fn are_in_columns(loaded: &Loaded, n_operations: usize) -> TestCaseResult {
    let statuses = [OperationStatus::Exposed, OperationStatus::Degraded, OperationStatus::Refused];
    let counts = statuses.map(|status| loaded.report.count(status));
    prop_assert_eq!(loaded.report.operations.len(), n_operations);
    prop_assert_eq!(counts.iter().sum::<usize>(), n_operations, "{:?}", counts);
    prop_assert_eq!(loaded.operations.len(), counts[0] + counts[1], "{:?}", counts);
    Ok(())
}

fn check(keywords: &[(&'static str, Value, Fate)], place: &[&str]) -> TestCaseResult {
    let members = keywords.iter().map(|(name, value, _)| ((*name).to_owned(), value.clone()));
    let schema = placed(place, &Value::Object(members.collect::<Object>()));
    let parameter = json!({"name": "q", "in": "query", "schema": schema});
    let get = json!({"summary": "A", "responses": {}, "parameters": [parameter]});
    let loaded = read(&description(&json!({"/a": {"get": get}})), &Limits::default());
    are_in_columns(&loaded, 1)?;
    let root = "/paths/~1a/get/parameters/0/schema";
    let below: String = place.iter().map(|part| format!("/{part}")).collect();
    let declared = loaded.operations[0].declaration().unwrap().input_schema.to_value();
    prop_assert!(
        jsonschema::draft202012::meta::is_valid(&declared.to_serde_json()),
        "{}",
        declared
    );
    let built = declared.pointer(&format!("/properties/q{below}")).cloned();
    for (name, value, fate) in keywords {
        let at = format!("{root}{below}/{name}");
        let mut findings = loaded.report.diagnostics.iter();
        let is_found = findings.any(|found| {
            found.pointer == at
                || found.pointer.strip_prefix(&at).is_some_and(|rest| rest.starts_with('/'))
        });
        prop_assert_eq!(
            is_found,
            *fate != Fate::Kept,
            "{} {}: {:?}",
            name,
            value,
            loaded.report.diagnostics
        );
        let kept = built.as_ref().and_then(|built| built.get(name));
        prop_assert_eq!(
            kept == Some(value),
            *fate != Fate::Lost,
            "{} {}: {:?}",
            name,
            value,
            built
        );
    }
    Ok(())
}

#[test]
fn every_lost_keyword_has_a_finding_and_the_others_stay() {
    let config = Config {
        cases: 400.max(Config::default().cases),
        failure_persistence: None,
        ..Config::default()
    };
    let places = prop::sample::select(PLACES.to_vec());
    let result = TestRunner::new(config)
        .run(&(drawn(), places), |(keywords, place)| check(&keywords, place));
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

/// An operation of each kind, by what stands below its path and what its path is.
fn operations() -> Vec<(&'static str, Value)> {
    let fine = json!({"summary": "A", "responses": {}});
    let with = |name: &str, value: Value| {
        let mut operation = fine.clone();
        operation[name] = value;
        operation
    };
    let parameter =
        |schema: Value| json!([{"name": "q", "in": "query", "required": true, "schema": schema}]);
    vec![
        ("/fine", fine.clone()),
        (
            "/fine/{id}",
            with(
                "parameters",
                json!([{"name": "id", "in": "path", "required": true, "schema": {}}]),
            ),
        ),
        ("/undeclared/{id}", fine.clone()),
        ("//host/path", fine.clone()),
        ("/../up", fine.clone()),
        ("/query?a={a}", fine.clone()),
        ("/fragment#x", fine.clone()),
        ("/lost", with("parameters", parameter(json!({"minLength": "1"})))),
        ("/nowhere", with("parameters", parameter(json!({"$ref": "#/components/schemas/None"})))),
        ("/impossible", with("parameters", parameter(json!({"minLength": 2, "maxLength": 1})))),
        ("/never", with("parameters", parameter(json!(false)))),
        ("/broken", with("parameters", json!("none"))),
        ("/body", with("requestBody", json!({"required": true, "content": {"nonsense": {}}}))),
        (
            "/xml",
            with(
                "requestBody",
                json!({"required": true, "content": {"application/xml": {"schema": {"type": "array"}}}}),
            ),
        ),
    ]
}

#[test]
fn every_operation_is_in_one_of_three_columns() {
    let all = operations();
    let methods = ["get", "put", "post", "delete", "patch"];
    let one = (prop::sample::select(all), prop::sample::select(methods.to_vec()));
    let drawn = (prop::collection::vec(one, 0..9), 0..9_usize);
    let config = Config {
        cases: 300.max(Config::default().cases),
        failure_persistence: None,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&drawn, |(drawn, limit)| {
        let mut paths = json!({});
        for ((path, operation), method) in drawn {
            let mut item = paths.get(path).cloned().unwrap_or_else(|| json!({}));
            item[method] = operation;
            paths[path] = item;
        }
        let items = paths.as_object().into_iter().flatten();
        let n_operations = items.map(|(_, item)| item.as_object().map_or(0, Object::len)).sum();
        for operations in [limit, Limits::default().operations] {
            let limits = Limits { operations, ..Limits::default() };
            are_in_columns(&read(&description(&paths), &limits), n_operations)?;
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

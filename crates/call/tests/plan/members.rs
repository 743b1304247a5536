//! Each listed value of a schema can be called and arrives as it is written, whatever the type beside the list: as a property
//! over types, members of all JSON types and places.

use crate::prelude::*;
use proptest::{prelude::*, test_runner::Config};

const FORM: &str = "application/x-www-form-urlencoded";

/// Where the value is sent.
const PLACES: [&str; 6] = ["query", "path", "header", "cookie", "json", "form"];

/// What a value is outside of JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn planned(place: &str, schema: &Value) -> Plan {
    let is_parameter = !matches!(place, "form" | "json");
    let parameter = json!({"name": "q", "in": place, "required": true, "schema": schema});
    let media_type = if place == "form" { FORM } else { "application/json" };
    let whole = json!({"type": "object", "required": ["q", "r"],
        "properties": {"q": schema, "r": {"type": "string"}}});
    let body = json!({"required": true, "content": {media_type: {"schema": whole}}});
    let operation = if is_parameter {
        json!({"responses": {}, "parameters": [parameter]})
    } else {
        json!({"responses": {}, "requestBody": body})
    };
    let path = if place == "path" { "/a/{q}" } else { "/a" };
    plan(
        &json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}], "paths": {path: {"post": operation}}})
        .to_string(),
    )
}

/// What arrives, as text: of a list, its only item.
fn arrived(place: &str, request: &http::Request<Bytes>) -> String {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let after = |text: &str| decoded(text.split_once("q=").map_or("", |(_, value)| value));
    let header =
        |name: &str| String::from_utf8_lossy(request.headers()[name].as_bytes()).into_owned();
    let body = String::from_utf8_lossy(request.body()).into_owned();
    match place {
        "query" => after(request.uri().query().unwrap_or_default()),
        "path" => decoded(request.uri().path().trim_start_matches("/a/")),
        "header" => header("q"),
        "cookie" => after(&header("cookie")),
        "form" => after(body.split('&').find(|pair| pair.starts_with("q=")).unwrap_or_default()),
        _ => {
            let value = &Value::parse(&body).unwrap()["q"];
            text_of(value.as_array().map_or(value, |items| &items[0]))
        }
    }
}

/// A call with one of the values sends it.
fn is_sent(plan: &Plan, place: &str, (value, is_item): (&Value, bool)) -> TestCaseResult {
    let given = if is_item { json!([value]) } else { value.clone() };
    let more = if matches!(place, "form" | "json") {
        json!({"q": given, "r": "r"})
    } else {
        json!({"q": given})
    };
    let planned = call(plan, more);
    let Ok(request) = &planned.result else {
        return Err(TestCaseError::fail(format!("{place} {value}: {}", planned.problems())));
    };
    prop_assert_eq!(arrived(place, request), text_of(value), "{} {}", place, value);
    Ok(())
}

fn kinds() -> impl Strategy<Value = Value> {
    let names = ["array", "boolean", "integer", "number", "object", "string"];
    let one = select(names.to_vec()).prop_map(Value::from);
    let some = prop::sample::subsequence(names.to_vec(), 1..3);
    let some = some.prop_map(|names| names.into_iter().map(Value::from).collect());
    prop_oneof![4 => one, 1 => some]
}

fn members() -> impl Strategy<Value = Vec<Value>> {
    let texts = r#"1|-20|1.5|true|false|"1"|"01"|"1.50"|"true"|"True"|"null"|"a"|"a b"|"é"|"12345678901234567890123""#;
    prop::sample::subsequence(texts.split('|').map(value).collect::<Vec<_>>(), 1..6)
}

#[test]
fn every_member_of_a_list_can_be_called_and_arrives() {
    let config = Config {
        cases: 600.max(Config::default().cases),
        failure_persistence: None,
        ..Config::default()
    };
    let drawn = (kinds(), members(), select(PLACES.to_vec()), any::<bool>());
    let result = TestRunner::new(config).run(&drawn, |(kind, members, place, is_const)| {
        let members = if is_const { members.into_iter().take(1).collect() } else { members };
        let (keyword, listed) = if is_const {
            ("const", members[0].clone())
        } else {
            ("enum", members.iter().cloned().collect())
        };
        let plan = planned(place, &json!({"type": kind, keyword: listed}));
        let declared = plan.operation().declaration().unwrap().input_schema.to_value();
        let declared = &declared["properties"]["q"];
        let is_item = declared.get("items").is_some();
        let holder = if is_item { &declared["items"] } else { declared };
        let shown: Vec<Value> = match holder.get("enum").and_then(Value::as_array) {
            Some(shown) => shown.clone(),
            None => vec![holder["const"].clone()],
        };
        prop_assert!(!shown.is_empty() && shown.len() <= members.len(), "{}", declared);
        let mut all = shown.iter().chain(&members);
        all.try_for_each(|value| is_sent(&plan, place, (value, is_item)))
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

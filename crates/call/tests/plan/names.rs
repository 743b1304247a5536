//! Names in every script: the service's name of an argument is said where the argument does not show it, and suggested by.

use crate::prelude::*;
use proptest::prelude::*;

fn query(names: &[&str]) -> Plan {
    let one = |name: &&str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
    let parameters: Vec<Value> = names.iter().map(one).collect();
    operation("get", "/x", json!({"parameters": parameters}))
}

/// The suggestion for an argument that is given under the service's name.
fn suggested(plan: &Plan, given: &str) -> Option<String> {
    let mut arguments = json!({});
    arguments[given] = json!("1");
    let planned = call(plan, arguments);
    planned.fault().problems.first().and_then(|problem| problem.suggestion.clone())
}

#[test]
fn the_service_name_suggests_the_argument() {
    for name in ["a b", "x&y=z", "$id", "X-Request-ID", "filter[length]", "名前", "größe", "имя"]
    {
        let plan = query(&["other", name]);
        let argument = plan.operation().inputs[1].argument.to_string();
        assert_eq!(suggested(&plan, name), Some(format!("`{argument}`")), "{name}");
    }
}

#[test]
fn a_misspelt_service_name_suggests_the_argument() {
    for (name, given) in [("郵便番号", "郵便番"), ("größe", "grösse"), ("город", "горад")]
    {
        let plan = query(&["other", name]);
        let argument = plan.operation().inputs[1].argument.to_string();
        assert_eq!(suggested(&plan, given), Some(format!("`{argument}`")), "{name}");
    }
}

#[test]
fn a_header_is_suggested_in_any_case() {
    let header = json!({"name": "X-Größe-ID", "in": "query", "schema": {"type": "string"}});
    let plain = json!({"name": "X-Trace-ID", "in": "header", "schema": {"type": "string"}});
    let plan = operation("get", "/x", json!({"parameters": [header, plain]}));
    assert_eq!(suggested(&plan, "x-trace-id").as_deref(), Some("`X_Trace_ID`"));
}

#[test]
fn an_argument_that_differs_from_its_service_name_is_described_with_it() {
    let described = |name: &str| {
        let plan = query(&[name]);
        let argument = plan.operation().inputs[0].argument.to_string();
        let declared = plan.operation().declaration().unwrap().input_schema.to_value();
        declared["properties"][&*argument].get("description").map(ToString::to_string)
    };
    for name in ["名前", "größe", "имя", "$", "a名b"] {
        let expected = format!("\"The service's name is `{name}`.\"");
        assert_eq!(described(name), Some(expected), "{name}");
    }
    for name in ["X-Request-ID", "filter[length]", "$top", "1st", "a b"] {
        assert_eq!(described(name), None, "{name}");
    }
}

#[test]
fn a_fault_of_an_argument_has_the_name_of_the_service_where_its_own_does_not_show_it() {
    for (name, expected) in [
        ("名前", "a value for `名前`"),
        ("X-Request-ID", "a value"),
        ("größe", "a value for `größe`"),
    ] {
        let plan = with_parameters(
            json!([{"name": name, "in": "query", "required": true, "schema": {"type": "string"}}]),
        );
        let fault = call(&plan, json!({})).result.unwrap_err();
        assert_eq!(fault.problems[0].expected, expected, "{name}");
        let argument = plan.operation().inputs[0].argument.to_string();
        let mut given = Object::new();
        given.insert(argument, json!([1]));
        let fault = call(&plan, Value::Object(given)).result.unwrap_err();
        let expected = expected.replace("a value", "string");
        assert_eq!(fault.problems[0].expected, expected, "{name}");
    }
}

proptest! {
    #[test]
    fn every_service_name_suggests_its_argument(name in "\\PC{1,12}") {
        let plan = query(&["other", &name]);
        let Some(input) = plan.operation().inputs.iter().find(|input| *input.name == *name) else { return Ok(()) };
        let argument = input.argument.to_string();
        if argument != name && name != "other" {
            prop_assert_eq!(suggested(&plan, &name), Some(format!("`{argument}`")));
            let declared = plan.operation().declaration().unwrap().input_schema.to_value();
            let text = declared["properties"][&*argument].get("description");
            prop_assert!(callgate_tool::shows_all_letters(&argument, &name) || text.is_some(), "{}", name);
        }
    }
}

//! The style tables of the specification texts and the examples of RFC 6570, read from a folder beside the
//! repository where it is present. A cell a later patch release corrected is listed here with its correction.

use crate::prelude::*;

fn vectors(name: &str) -> Option<Value> {
    let text = of_corpus(&format!("vectors/{name}"))?;
    Some(serde_json::from_str(&text).unwrap())
}

fn written(parameter: &Value, value: &Value) -> Option<String> {
    let place = parameter["in"].as_str().unwrap();
    let name = parameter["name"].as_str().unwrap();
    let path = if place == "path" { format!("/{{{name}}}") } else { "/".to_owned() };
    let plan = operation("get", &path, json!({"parameters": [parameter]}));
    let argument = plan.operation().inputs[0].argument.to_string();
    let planned = call(&plan, json!({argument: value}));
    planned.result.as_ref().ok()?;
    let shown = planned.shown();
    Some(match place {
        "cookie" | "header" => shown.split_once(": ").map_or("", |(_, text)| text).to_owned(),
        _ => shown.strip_prefix("GET /v1/").unwrap().to_owned(),
    })
}

/// The cells of the tables up to 3.0.3 and 3.1.0 that later patch releases corrected: a label's delimiter, a
/// missing name, characters a query may not hold.
fn is_corrected(case: &Value) -> bool {
    let expected = case["expected"].as_str().unwrap_or_default();
    let label =
        case["style"] == "label" && case["explode"] == false && expected.matches('.').count() > 1;
    let nameless = matches!(case["oas"].as_str(), Some("3.0.3" | "3.1.0"))
        && matches!(case["style"].as_str(), Some("spaceDelimited" | "pipeDelimited"));
    label || nameless || expected.contains(['|', '['])
}

#[test]
fn parameters_are_written_as_in_the_tables_of_the_specification() {
    let Some(tables) = vectors("oas-style-tables.json") else { return };
    let mut n_checked = 0;
    for case in tables["cases"].as_array().unwrap() {
        if case["expected"].is_null() || is_corrected(case) {
            continue;
        }
        for place in case["locations"].as_array().unwrap() {
            let value = &case["value"];
            let kind = if value.is_object() {
                "object"
            } else if value.is_array() {
                "array"
            } else {
                "string"
            };
            let mut parameter = json!({"name": "color", "in": place, "required": place == "path",
                "style": case["style"], "schema": {"type": kind}});
            if let Some(explode) = case["explode"].as_bool() {
                parameter["explode"] = json!(explode);
            }
            let got = written(&parameter, value);
            let expected = case["expected"].as_str().unwrap();
            let is_empty_segment = place == "path" && matches!(expected, "" | ".");
            if is_empty_segment {
                assert_eq!(got, None, "a segment would be empty or a dot: {case}");
                continue;
            }
            let expected = expected.trim_start_matches('?');
            let expected =
                if place == "cookie" { expected.replace('&', "; ") } else { expected.to_owned() };
            assert_eq!(got.unwrap().trim_start_matches('?'), expected, "{case}");
            n_checked += 1;
        }
    }
    assert!(n_checked > 100, "{n_checked}");
}

#[test]
fn parameters_are_written_as_in_the_examples_of_rfc_6570() {
    let Some(cases) = vectors("rfc6570-as-openapi.json") else { return };
    for case in cases.as_array().unwrap() {
        let got = written(&case["param"], &case["value"]).unwrap();
        let decode = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
        let mut expected =
            case["expected_any"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
        // A dot inside an exploded label is escaped here, which decodes to the same.
        assert!(expected.any(|text| text == got || decode(text) == decode(&got)), "{got}: {case}");
    }
}

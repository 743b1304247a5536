//! `callgate check --format sarif`: the shape of SARIF 2.1.0, checked by hand against its specification.

use crate::prelude::*;

#[track_caller]
fn texts<'v>(value: &'v Value, pointers: &[&str]) -> Vec<&'v str> {
    let text = |pointer: &&str| value.pointer(pointer).and_then(Value::as_str);
    let found: Option<Vec<_>> = pointers.iter().map(text).collect();
    found.unwrap_or_else(|| panic!("not all of {pointers:?} are texts in {value:#}"))
}

#[test]
fn a_sarif_log_has_rules_and_results_with_positions() {
    let faulty = "fixtures/faulty/spec.yaml";
    let log = callgate(&["check", faulty, "--format", "sarif"]).exits(1).json();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "callgate");
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for rule in rules {
        let texts = texts(rule, &["/id", "/shortDescription/text", "/help/text"]);
        assert!(texts.iter().all(|text| !text.is_empty()));
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 5, "{results:?}");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let level = texts(result, &["/level", "/message/text"])[0];
        assert!(["note", "warning", "error"].contains(&level), "{level}");
        let place = &result["locations"][0];
        assert_eq!(texts(place, &["/physicalLocation/artifactLocation/uri"]), [faulty]);
        let region = &place["physicalLocation"]["region"];
        let is_whole = texts(place, &["/logicalLocations/0/fullyQualifiedName"]) == [""];
        let counted = |key: &str| region[key].as_u64().is_some_and(|number| number > 0);
        assert!(is_whole || (counted("startLine") && counted("startColumn")), "{result:#}");
    }
}

#[test]
fn a_sarif_log_names_files_by_uri_and_has_findings_of_configurations() {
    let text = "openapi: 3.0.3\nservers: [{url: https://a.example}]\npaths:\n  /a:\n    get: {operationId: get, summary: a}\n";
    let (folder, file) = folder_with("my api.yaml", text);
    let text = "overlay: 1.0.0\ninfo: {title: t, version: v}\nactions:\n  - target: $.x\n";
    let files = [file, "--overlay", write(&folder, "o.yaml", text)];
    let log = callgate(&[&["check", "--format", "sarif"][..], &files].concat()).exits(0).json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let shown = results.iter().map(|result| {
        let uri = "/locations/0/physicalLocation/artifactLocation/uri";
        let [rule, level, uri] = texts(result, &["/ruleId", "/level", uri])[..] else { panic!() };
        let line = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
        assert!(uri.starts_with("file:///"), "{uri}");
        format!("{rule} {level} {line} {}", uri.rsplit('/').next().unwrap())
    });
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown, ["overlay-no-match warning 4 o.yaml", "vague-name note 5 my%20api.yaml"]);
}

#[test]
fn the_json_flag_and_another_format_exclude_each_other() {
    callgate(&["check", "fixtures/pets/spec.yaml", "--json", "--format", "sarif"]).exits(2);
    callgate(&["check", "fixtures/pets/spec.yaml", "--format", "xml"]).exits(2).says("sarif");
}

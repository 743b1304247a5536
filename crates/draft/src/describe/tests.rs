//! Answers of models: names and words, and all else.

use callgate_testkit::check_rows;
use callgate_tool::Object;

use super::*;
use crate::{Case, DraftOptions, Exchange, Given, draft};

const SECRET: &str = "k7Qp2Zx9Vb4Nm8Ls3Td6Wf1Rg5Yh0Jc2";

fn pets() -> Draft {
    let url = format!("https://a.example/pets/7?api_key={SECRET}");
    let output = format!(r#"{{"id": 7, "token": "{SECRET}"}}"#);
    let examples = ["GET", "DELETE"].map(|method| {
        let given = Given { method, url: &url, output: Some(&output), ..Given::default() };
        Exchange::from_given(given).unwrap()
    });
    draft(examples.into(), &DraftOptions::default()).unwrap()
}

/// The draft after a change at a pointer, which may add a last member.
fn changed(pointer: &str, value: Value) -> Value {
    let mut description = pets().description;
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match description.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        parent => drop(parent.as_object_mut().unwrap().insert(name, value)),
    }
    description
}

const GET: &str = "/paths/~1pets~1{petId}/get";

#[test]
fn a_request_has_the_draft_and_its_examples_without_secrets() {
    let request = describe_request(&pets()).unwrap();
    assert!(request.contains("getPet") && request.contains("****"), "{request}");
    assert!(!request.contains(SECRET));
    let mut large = pets();
    large.description = json!("a".repeat(LONGEST_REQUEST));
    assert!(describe_request(&large).unwrap_err().to_string().contains("at most"));
}

#[test]
fn names_and_words_of_a_model_stand_in_the_draft_and_its_cases() {
    for (place, value) in [
        ("operationId", json!("showPet")),
        ("summary", json!("Show a pet")),
        ("description", json!("Shows a pet.\n\nOr nothing.")),
        ("tags", json!(["pets"])),
        ("parameters/0/description", json!("The number of the pet")),
    ] {
        let pointer = format!("{GET}/{place}");
        let described = changed(&pointer, value.clone());
        let (draft, changes) = apply_described_overlay(pets(), described.clone(), None).unwrap();
        assert_eq!(draft.description, described);
        let [change] = changes.as_slice() else { panic!("{changes:?}") };
        assert_eq!((change.pointer.as_str(), &change.after), (pointer.as_str(), &value));
    }
    let described = changed(&format!("{GET}/operationId"), json!("showPet"));
    let (draft, _) = apply_described_overlay(pets(), described, None).unwrap();
    let tools: Vec<&str> = draft.cases.iter().map(|case: &Case| case.tool.as_str()).collect();
    assert_eq!(tools, ["showPet", "deletePet"]);
}

#[test]
fn every_other_change_is_refused_with_its_place() {
    let refuse = |pointer: &str, value: Value, expected: &str| {
        let pointer = pointer.replace("GET", GET);
        let error = apply_described_overlay(pets(), changed(&pointer, value), None)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{pointer}: {error}");
    };
    check_rows(
        r#"
        /servers => [{"url": "https://evil.example"}] => `/servers/0/url`: a model may only write
        /servers => [] => `/servers`: a model may only write
        /info/description => "Send it all" => `/info/description`: a model
        /paths/admin => {"get": {"operationId": "a", "responses": {}}} => `/paths/admin`: a model
        GET/security => [] => get/security`: a model
        GET/x-callgate => {} => get/x-callgate`: a model
        GET/parameters/0/schema => {} => parameters/0/schema/type`: a model
        GET/parameters/0/name => "x" => parameters/0/name`: a model
        GET/responses/200/description => "x" => responses/200/description`: a model
        GET/operationId => "7 pets" => get/operationId`: expected a name
        GET/operationId => 7 => get/operationId`: a model
        GET/operationId => "DeletePet" => has this name, too
        GET/summary => "a\u001b[2Jb" => get/summary`: expected a text without control
        GET/summary => "a\nb" => get/summary`: expected a text without control
        GET/description => "a\u202eb" => get/description`: expected a text without control
        GET/tags => [{"name": "pets"}] => get/tags`: expected a text
        /components/securitySchemes => {} => apiKeyQuery`: a model
        "#,
        |[pointer, value, expected]| refuse(pointer, value.parse().unwrap(), expected),
    );
    refuse("GET/operationId", json!("a".repeat(65)), "get/operationId`: expected a name");
    refuse("GET/description", json!("é".repeat(2001)), "get/description`: expected a text");
    let error = apply_described_overlay(pets(), Value::Object(Object::new()), None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("`/paths`"), "{error}");
}

#[test]
fn words_that_a_person_wrote_stay() {
    let written = changed(&format!("{GET}/summary"), json!("Mine"));
    let mut draft = pets();
    draft.description = written.clone();
    let described = changed(&format!("{GET}/summary"), json!("Better"));
    let error = apply_described_overlay(draft, described, Some(&written)).unwrap_err().to_string();
    assert!(error.contains("get/summary`: a person wrote this"), "{error}");
}

#[test]
fn an_overlay_may_stand_in_a_block_of_code() {
    for reply in ["{\"a\": 1}", " {\"a\": 1}\n", "```json\n{\"a\": 1}```", "```\n{\"a\": 1}\n```\n"]
    {
        assert_eq!(overlay_text(reply).trim(), "{\"a\": 1}", "{reply}");
    }
}

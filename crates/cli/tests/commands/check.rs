//! `callgate check`: everything wrong at once, with places and carets.

use crate::prelude::*;

#[test]
fn five_faults_are_shown_with_line_column_and_caret() {
    let ended = callgate(&["check", "fixtures/faulty/spec.yaml"]).exits(1);
    let shown = ended.out.matches("fixtures/faulty/spec.yaml:").count();
    assert!(shown >= 5, "{ended:#?}");
    assert!(ended.out.matches('^').count() >= 5, "{ended:#?}");
    ended.prints("exposed").prints("refused").prints("tokens of declarations");
}

#[test]
fn with_json_the_findings_of_check_have_positions_and_help() {
    let report = callgate(&["check", "fixtures/faulty/spec.yaml", "--json"]).exits(1).json();
    let document = &report["documents"][0];
    let count = |key: &str| document[key].as_u64().unwrap();
    assert_eq!(count("operations"), count("exposed") + count("degraded") + count("refused"));
    for diagnostic in document["diagnostics"].as_array().unwrap() {
        assert!(diagnostic["line"].is_u64(), "{diagnostic}");
        assert!(diagnostic["column"].is_u64(), "{diagnostic}");
        assert!(!diagnostic["help"].as_str().unwrap().is_empty(), "{diagnostic}");
    }
}

#[test]
fn two_toolsets_of_one_description_are_shown_by_their_names() {
    let pets = root().join("fixtures/pets/spec.yaml").display().to_string();
    let text =
        format!("toolsets:\n  a: {{ openapi: {pets}, prefix: a }}\n  b: {{ openapi: {pets} }}\n");
    let (_folder, file) = folder_with("callgate.yaml", text);
    let ended = callgate(&["check", file]).exits(1);
    ended.prints("spec.yaml (`a`): ").prints("spec.yaml (`b`): ");
}

#[test]
fn check_lint_lists_the_losses_of_each_tool_by_provider() {
    let file = "fixtures/pets/spec.yaml";
    let ended = callgate(&["check", file, "--lint"]).exits(1);
    ended.prints("losses of 14 tools at providers").prints("portable").prints(" tokens  ");
    let plain = callgate(&["check", file]).exits(1);
    assert!(!plain.out.contains("losses of"), "{}", plain.out);
    let report = callgate(&["check", file, "--lint", "--json"]).exits(1).json();
    let losses = &report["documents"][0]["losses"];
    for (projection, size) in report["documents"][0]["declarations"].as_object().unwrap() {
        let file = callgate(&["tools", file, "--losses", "--json", "--projection", projection]);
        let tools = file.exits(0).json();
        let tokens = tools.as_array().unwrap().iter().map(|tool| tool["tokens"].as_u64().unwrap());
        let lossy = losses[projection.as_str()].as_array().unwrap().len();
        let expected = json!({"tools": 14, "tokens": tokens.sum::<u64>(), "lossy": lossy});
        assert_eq!(*size, expected, "{projection}");
    }
    assert!(losses["openai"].as_array().unwrap().is_empty(), "{losses}");
    let strict = losses["openai_strict"].as_array().unwrap();
    let create = strict.iter().find(|tool| tool["name"] == "createPet").unwrap();
    let lost = create["losses"].as_array().unwrap();
    assert!(
        lost.iter().any(|loss| loss["keyword"] == "uniqueItems" && loss["count"] == 1),
        "{create}"
    );
}

#[cfg(feature = "openapiv3")]
#[test]
fn check_strict_reports_the_parts_that_openapiv3_refuses() {
    let text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\nservers: [{url: 'https://a.example'}]\npaths:\n  /pets:\n    get: {operationId: listPets}\n    post: {operationId: addPet, responses: {'200': {description: ok}}}\n";
    let (_folder, file) = folder_with("pets.yaml", text);
    let ended = callgate(&["check", file, "--strict"]).exits(1);
    assert!(ended.err.contains("openapiv3 does not read"), "{}", ended.err);
    let ended = ended.prints("openapiv3 refuses 1 part");
    ended.prints("/paths/~1pets/get: missing field `responses`");
    fs::write(file, text.replace("listPets", "listPets, responses: {'200': {description: ok}}"))
        .unwrap();
    callgate(&["check", file, "--strict"]).exits(0).prints("openapiv3 reads it");
}

#[test]
fn every_fault_of_a_configuration_is_shown_with_its_line() {
    let text = "toolsets:\n  pets:\n    opanapi: x.yaml\n    limits: { timeout: 30 }\n    auth: { bearer: { token: tok } }\n  my-pets: {}\n";
    let (_folder, file) = folder_with("callgate.yaml", text);
    let ended = callgate(&["check", file]).exits(2);
    let texts = "callgate.yaml:3:5 | did you mean `openapi`? | callgate.yaml:4:15
        | expected a span of time | callgate.yaml:5:23 | callgate.yaml:6:3";
    for part in texts.split('|').map(str::trim) {
        assert!(ended.err.contains(part), "no `{part}` in {}", ended.err);
    }
    assert!(!ended.err.contains("expected the key `openapi`"), "told twice: {}", ended.err);
    assert!(!ended.err.contains("got: `tok`"), "a secret is shown: {}", ended.err);
}

#[test]
fn an_unreadable_description_is_a_finding() {
    let (_folder, file) = folder_with("broken.json", "{\"openapi\": \"3.0.0\",\n \"paths\": {,}}");
    callgate(&["check", file]).exits(1).prints("broken.json:2:12");
}

#[test]
fn a_code_is_explained() {
    let all = callgate(&["explain"]).exits(0).out;
    for code in all.lines() {
        callgate(&["explain", code]).exits(0).prints(" ");
    }
    callgate(&["explain", "no-such-code"]).exits(2);
}

#[test]
fn check_lint_notes_large_tools_and_limits_of_providers() {
    let mut text = "openapi: 3.0.3\nservers: [{url: https://a.example}]\npaths:\n".to_owned();
    let long = "a long story ".repeat(400);
    for n in 0..130 {
        let schema = "{name: a, in: query, schema: {type: integer, enum: [1, 2]}}";
        text += &format!(
            "  /a{n}:\n    get: {{operationId: operation{n}, summary: \"{long}\", parameters: [{schema}]}}\n"
        );
    }
    let (_folder, file) = folder_with("api.yaml", text);
    let shown = callgate(&["check", file, "--lint"]).exits(0);
    for part in [
        "note[large-tool]: expected a declaration of at most 1,000 tokens",
        "note[many-tokens]",
        "OpenAI takes at most 128 tools in a request, got: 130",
        "Gemini (`parameters`) takes enumerations of texts only, got 130 tools with another",
        "note[vague-name]: GET /a",
        "130 exposed, 0 degraded, 0 refused",
    ] {
        assert!(shown.out.contains(part), "no `{part}`");
    }
    assert!(!callgate(&["tools", file]).exits(0).err.contains("note"));
}

#[test]
fn a_credential_without_a_kind_is_a_fault() {
    let (_folder, file) =
        folder_with("callgate.yaml", "toolsets: { pets: { openapi: x.yaml, auth: {} } }\n");
    let ended = callgate(&["check", file]).exits(2);
    ended.says("expected one kind of credential, got none").says("auth: none");
}

//! `callgate diff`: changes of descriptions and configurations, in words and as JSON.

use crate::prelude::*;

const OLD: &str = "openapi: 3.1.0
info: {title: t, version: '1'}
servers: [{url: https://a.example}]
paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{name: limit, in: query, schema: {type: integer, maximum: 100}}]
      responses: {'200': {description: ok}}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getPet, responses: {'200': {description: ok}}}
";

/// The output for OLD and another description, and the exit code.
#[track_caller]
fn check(new: &str, code: i32, expected: &str) {
    let (folder, before) = folder_with("old.yaml", OLD);
    let ended = callgate(&["diff", before, write(&folder, "new.yaml", new)]).exits(code);
    assert_eq!(ended.out, expected);
}

#[test]
fn a_breaking_change_is_a_finding() {
    check(OLD, 0, "0 changes, 0 of them breaking\n");
    let narrowed =
        "breaking  listPets: input_narrowed limit: maximum\n1 change, 1 of them breaking\n";
    check(&OLD.replace("maximum: 100", "maximum: 50"), 1, narrowed);
    let more = "integer}}, {name: offset, in: query, schema: {type: integer}}";
    let added = "          listPets: input_added offset\n1 change, 0 of them breaking\n";
    check(&OLD.replace("integer, maximum: 100}}", more), 0, added);
    let renamed = OLD.replace("operationId: getPet", "operationId: showPet");
    check(
        &renamed.replace("https://a", "https://b"),
        1,
        "breaking  listPets: server_changed https://a.example/ → https://b.example/
breaking  showPet: renamed from getPet
breaking  showPet: server_changed https://a.example/ → https://b.example/
3 changes, 3 of them breaking
",
    );
    check(
        &OLD.replace("    get: {operationId", "    put: {operationId"),
        1,
        "          getPet: moved GET /pets/{id} → PUT /pets/{id}
breaking  getPet: effect_changed read → idempotent
          getPet: described
3 changes, 1 of them breaking
",
    );
}

#[test]
fn changes_are_json_for_machines() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "pets.yaml", OLD);
    let configuration = |name: &str, tools: &str| {
        let text = format!("toolsets: {{pets: {{openapi: pets.yaml, tools: {tools}}}}}");
        write(&folder, name, text)
    };
    let (old, new) = (configuration("old", "{}"), configuration("new", "{exclude: [getPet]}"));
    let ended = callgate(&["diff", old, new, "--json"]).exits(1);
    let expected = r#"{"breaking":true,"changes":[{"tool":"pets-getPet","change":"removed","breaking":true}]}"#;
    assert_eq!(ended.out.trim_end(), expected);
    callgate(&["diff", old, "none.yaml"]).exits(2);
}

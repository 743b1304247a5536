//! `tools:` of a toolset: what is offered of a description, and entries that match nothing.

use crate::prelude::*;

const API: &str = include_str!("selection.yaml");

/// The names that are offered with this `tools:`, and what is said on standard error.
fn selected(tools: &str) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "api.yaml", API);
    let text =
        format!("toolsets:\n  a:\n    openapi: api.yaml\n    prefix: \"\"\n    tools: {tools}\n");
    let file = write(&folder, "callgate.yaml", text);
    let ended = callgate(&["tools", file, "--json"]).exits(0);
    let tools = ended.json();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    (tools.as_array().unwrap().iter().map(name).collect(), ended.err)
}

#[track_caller]
fn check(tools: &str, expected: &[&str]) {
    let (all, _) = selected("{}");
    let (names, err) = selected(tools);
    assert_eq!(names.len(), expected.len(), "{tools}: {names:?}");
    for (name, expected) in names.iter().zip(expected) {
        assert!(name.starts_with(expected), "{tools}: {names:?}");
        assert!(all.contains(name), "the name depends on the selection: {name}");
    }
    assert_eq!(err, "", "{tools}");
}

#[test]
fn operations_are_selected_by_name_tag_method_path_and_effect() {
    check("{}", &["listPets", "addPet", "getPet", "deletePet", "list_", "list_"]);
    check("{include: ['*Pet']}", &["addPet", "getPet", "deletePet"]);
    check("{include: ['*Pet'], exclude: ['delete*']}", &["addPet", "getPet"]);
    check("{include: [list], methods: [get]}", &["list_"]);
    check("{tags: [admin, owners]}", &["deletePet", "list_", "list_"]);
    check("{methods: [POST, delete]}", &["addPet", "deletePet", "list_"]);
    check("{paths: ['/pets/**']}", &["getPet", "deletePet"]);
    check("{paths: ['/pets/{petId}', /owners], read_only: true}", &["getPet", "list_"]);
    check("{read_only: true}", &["listPets", "getPet", "list_"]);
}

#[test]
fn selecting_a_tag_includes_its_child_tags() {
    let text = "openapi: 3.2.0
servers: [{url: https://a.example}]
tags: [{name: animals}, {name: pets, parent: animals}, {name: cats, parent: pets}, {name: a, parent: b},
       {name: b, parent: a}, {name: c, parent: none}]
paths:
  /cats: {get: {operationId: listCats, tags: [cats], summary: s}}
  /pets: {get: {operationId: listPets, tags: [pets], summary: s}}
  /a: {get: {operationId: readA, tags: [a], summary: s}}
  /b: {get: {operationId: readB, tags: [b], summary: s}}
";
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "api.yaml", text);
    let names = |tags: &str| {
        let text = format!(
            "toolsets:\n  a:\n    openapi: api.yaml\n    prefix: \"\"\n    tools: {{tags: [{tags}]}}\n"
        );
        let file = write(&folder, "callgate.yaml", text);
        let tools = callgate(&["tools", file, "--json"]).exits(0).json();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names("animals"), ["listCats", "listPets"]);
    assert_eq!(names("cats"), ["listCats"]);
    // The second half of a circle is left out.
    assert_eq!(names("b"), ["readA", "readB"]);
    assert_eq!(names("a"), ["readA"]);
    let said = callgate(&["check", folder.path().join("api.yaml").to_str().unwrap()]).exits(1).out;
    let expected = "the parent of tag `b` to be a tag that is not below it, got: a";
    assert!(said.contains(expected), "{said}");
    let expected = "the parent of tag `c` to be the name of a declared tag, got: none";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn an_entry_that_matches_nothing_is_a_warning_with_the_nearest_name() {
    let rows = [
        ("{include: [getPett, '*']}", "`getPett`", "did you mean `getPet`?"),
        ("{tags: [pet, admin]}", "`pet`", "did you mean `pets`?"),
        ("{methods: [PUT, GET]}", "`PUT`", "selects-nothing"),
        ("{exclude: [zebras]}", "`zebras`", "selects-nothing"),
        ("{paths: [/pet, /pets]}", "`/pet`", "did you mean `/pets`?"),
    ];
    for (tools, message, help) in rows {
        let (_, err) = selected(tools);
        assert!(err.contains(message) && err.contains(help), "{tools}: {err}");
    }
}

#[test]
fn a_misspelt_entry_that_excludes_nothing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "api.yaml", API);
    let text = "toolsets:\n  a: {openapi: api.yaml, tools: {exclude: [deletePett]}}\n";
    let file = write(&folder, "callgate.yaml", text);
    callgate(&["check", file])
        .exits(2)
        .says("error[selects-nothing]: expected operations to match, got none: `deletePett`")
        .says("did you mean `deletePet`?");
}

#[test]
fn operations_that_are_not_selected_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "api.yaml", API);
    let toolset = "toolsets:\n  a: {openapi: api.yaml, tools: ";
    let file = write(&folder, "callgate.yaml", format!("{toolset}{{tags: [owners]}}}}\n"));
    callgate(&["check", file]).exits(0).prints("2 exposed, 0 degraded, 0 refused, 4 not selected;");
    let report = callgate(&["check", file, "--json"]).exits(0).json();
    assert_eq!(report["documents"][0]["notSelected"], 4);
    assert_eq!(report["documents"][0]["operations"], 2);
    let text = format!("{toolset}{{include: 'a', paths: ['/a['], read_only: x}}}}\n");
    write(&folder, "callgate.yaml", text);
    let ended = callgate(&["check", file]).exits(2).says("a list of texts").says("`*`, `?`");
    ended.says("true or false");
}

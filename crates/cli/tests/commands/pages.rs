//! `callgate tools FILE TOOL`: the page of one tool. The line that it shows as an example runs.

use crate::prelude::*;

use crate::root;

/// The descriptions of the fixtures whose tools need no session.
const FIXTURES: [&str; 4] = [
    "fixtures/pets/spec.yaml",
    "fixtures/files/spec.yaml",
    "fixtures/answers/spec.yaml",
    "fixtures/styles/spec.yaml",
];

#[test]
fn the_page_of_a_tool_has_its_arguments_effect_and_answer() {
    let page = callgate(&["tools", "config/demo.yaml", "pets-getPet"]).exits(0);
    for part in [
        "GET /pets/{petId}",
        "reads:",
        "ARGUMENT",
        "petId",
        "path",
        "integer",
        "yes",
        "EXAMPLE",
        "ANSWERS",
    ] {
        assert!(page.out.contains(part), "no {part}: {}", page.out);
    }
    callgate(&["tools", "config/demo.yaml", "deletePet"]).exits(0).prints("destructive");
    callgate(&["tools", "config/demo.yaml", "createPet"])
        .exits(0)
        .prints("species: one of \"cat\", \"dog\"");
    callgate(&["tools", "fixtures/files/spec.yaml", "addPicture"])
        .exits(0)
        .prints("callgate call fixtures/files/spec.yaml addPicture picture=@FILE\n");
    callgate(&["tools", "fixtures/files/spec.yaml", "addParts"])
        .exits(0)
        .prints("(with a file as `notes=@FILE`)");
    callgate(&["tools", "config/demo.yaml", "nope"]).exits(1).says("unknown_tool");
    let json = callgate(&["tools", "config/demo.yaml", "getPet", "--json"]).exits(0).json();
    assert_eq!(json.as_array().map(Vec::len), Some(1));
}

#[test]
fn the_example_of_every_page_runs() {
    let binary = env!("CARGO_BIN_EXE_callgate");
    let (mut ran, mut failed) = (0, Vec::new());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("FILE"), "of a reader").unwrap();
    for file in FIXTURES.map(|file| root().join(file).display().to_string()) {
        let file = file.as_str();
        let tools = callgate(&["tools", file, "--json"]).exits(0).json();
        for tool in tools.as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let page = callgate(&["tools", file, name]).exits(0).out;
            if page.contains("--session FILE") {
                continue;
            }
            let line = page.lines().find_map(|line| line.strip_prefix("  callgate call ")).unwrap();
            let shell = format!("'{binary}' call {line} --dry-run");
            let ended =
                Ended::of(Command::new("sh").args(["-c", &shell]).current_dir(folder.path()));
            ran += 1;
            if ended.code != Some(0) {
                failed.push(format!("{line}\n{}", ended.err));
            }
        }
    }
    assert!(ran > 40, "only {ran}");
    assert!(failed.is_empty(), "{} of {ran}: {}", failed.len(), failed.join("\n"));
}

#[test]
fn a_description_without_tools_ends_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.yaml");
    let text = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: https://t.example}]\npaths: {}\n";
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    callgate(&["tools", file]).exits(1).says("offers no tool").says("callgate check");
}

#[test]
fn the_table_of_tools_has_headings() {
    let tools = callgate(&["tools", "config/demo.yaml"]).exits(0);
    assert!(tools.out.starts_with("TOOL  "), "{}", tools.out);
}

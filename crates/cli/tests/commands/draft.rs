//! `callgate draft`: examples become a description that loads and cases that replay; nothing is written over, and nothing half done
//! stays.

use crate::prelude::*;

/// A recording of two requests for pets.
const COMMANDS: &str = "curl 'https://api.pets.example/pets/7?key=k7Qp2Zx9Vb4Nm8Ls3Td6Wf1Rg5' -H 'Accept: application/json'
curl -X DELETE https://api.pets.example/pets/8\n";

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(&folder, "commands.txt", COMMANDS);
        write(&folder, "pet.json", r#"{"id": 7, "name": "Rex"}"#);
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

#[test]
fn a_draft_loads_and_its_cases_replay() {
    let folder = Folder::new();
    let (spec, cases) = (folder.path("spec.yaml"), folder.path("cases"));
    let url = "https://api.pets.example/pets/{petId}";
    let (input, output) = (folder.path("input.json"), folder.path("pet.json"));
    fs::write(&input, r#"{"petId": 7}"#).unwrap();
    let line = [
        "draft", "--url", url, "--input", &input, "--output", &output, "--out", &spec, "--cases",
        &cases,
    ];
    callgate(&line).exits(0).prints("1 of 1: `petId` looks like a value");
    callgate(&["check", &spec]).exits(0).prints("1 exposed");
    callgate(&["test", &cases]).exits(0).prints("2 passed, 0 failed");
}

#[test]
fn a_file_that_is_there_is_written_over_on_request_alone() {
    let folder = Folder::new();
    let (commands, spec) = (folder.path("commands.txt"), folder.path("pet.json"));
    let line = ["draft", "--curl", &commands, "--out", &spec];
    callgate(&line).exits(2).says("write over it with `--force`");
    assert!(fs::read_to_string(&spec).unwrap().contains("Rex"));
    callgate(&[&line[..], &["--force"]].concat()).exits(0);
    let written = fs::read_to_string(&spec).unwrap();
    assert!(written.contains("deletePet") && !written.contains("k7Qp2Z"), "{written}");
}

#[test]
fn a_text_that_is_no_example_is_refused_with_its_place() {
    let folder = Folder::new();
    let pet = folder.path("pet.json");
    for (flag, expected) in [
        ("--har", "`pet.json`: expected an HTTP archive"),
        ("--postman", "`pet.json`: expected a collection of Postman"),
        ("--curl", "`pet.json`: expected a command such as `curl"),
    ] {
        callgate(&["draft", flag, &pet]).exits(2).says(expected);
    }
    callgate(&["draft"]).exits(2).says("name an example by `--url`, `--har`");
    let commands = folder.path("commands.txt");
    let line = ["draft", "--curl", &commands, "--merge", &pet];
    callgate(&line).exits(2).says("expected OpenAPI 3.0, 3.1 or 3.2");
}

//! `callgate tools FILE TOOL`: the page of one tool. The line that it shows as an example runs.

use crate::prelude::*;

/// Descriptions of the fixtures.
const FIXTURES: [&str; 5] = [
    "fixtures/pets/spec.yaml",
    "fixtures/files/spec.yaml",
    "fixtures/answers/spec.yaml",
    "fixtures/ledger/spec.json",
    "fixtures/styles/spec.yaml",
];

#[test]
fn the_page_of_a_tool_has_its_arguments_effect_and_answer() {
    let page = callgate(&["tools", "config/demo.yaml", "pets-getPet"]).exits(0);
    let texts = "GET /pets/{petId} | reads: | ARGUMENT | petId | path | integer | required
        | EXAMPLE | ANSWERS";
    for part in texts.split('|').map(str::trim) {
        assert!(page.out.contains(part), "no {part}: {}", page.out);
    }
    callgate(&["tools", "config/demo.yaml", "deletePet"]).exits(0).prints("destructive");
    let ended = callgate(&["tools", "config/demo.yaml", "createPet"]).exits(0);
    let ended = ended.prints("one of \"cat\", \"dog\"");
    ended.prints("--dry-run\n  (`--dry-run` shows the request; without it, the request is sent)");
    let ended = callgate(&["tools", "fixtures/files/spec.yaml", "addPicture"]).exits(0);
    ended.prints(" addPicture picture=text --dry-run\n").prints("(with a file as `picture=@FILE`)");
    let ended = callgate(&["tools", "fixtures/files/spec.yaml", "addParts"]).exits(0);
    ended.prints("(with a file as `notes=@FILE`)");
    callgate(&["tools", "config/demo.yaml", "nope"]).exits(1).says("unknown_tool");
    let json = callgate(&["tools", "config/demo.yaml", "getPet", "--json"]).exits(0).json();
    assert_eq!(json.as_array().map(Vec::len), Some(1));
}

#[test]
fn the_example_of_every_page_runs() {
    let binary = env!("CARGO_BIN_EXE_callgate");
    let (mut ran, mut failed) = (0, Vec::new());
    let folder = tempfile::tempdir().unwrap();
    for file in FIXTURES.map(|file| root().join(file).display().to_string()) {
        let file = file.as_str();
        let tools = callgate(&["tools", file, "--json"]).exits(0).json();
        for tool in tools.as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let page = callgate(&["tools", file, name]).exits(0).out;
            let line = example(&page);
            let shell = format!("callgate() {{ '{binary}' \"$@\"; }}\n{line} --dry-run");
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

/// The command line that a page shows.
fn example(page: &str) -> &str {
    let (_, example) = page.split_once("EXAMPLE\n  ").unwrap_or_else(|| panic!("{page}"));
    example.lines().next().unwrap()
}

#[test]
fn deep_objects_are_folded_and_full_shows_them() {
    let (_folder, file) = folder_with("api.yaml", DEEP);
    let folded = callgate(&["tools", file, "send"]).exits(0).out;
    for part in
        ["\nrequired\n  to ", "\noptional\n", "to.street  ", "`…` stands for more: `--full`"]
    {
        assert!(folded.contains(part), "no `{part}`: {folded}");
    }
    let row = |page: &str, name: &str| {
        let named = |line: &&str| line.split_whitespace().next() == Some(name);
        page.lines().find(named).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(row(&folded, "to.geo").as_deref(), Some("to.geo body {…}"));
    assert_eq!(row(&folded, "parcels").as_deref(), Some("parcels body list of {…}"));
    assert_eq!(row(&folded, "to.geo.at"), None, "{folded}");
    let full = callgate(&["tools", file, "send", "--full"]).exits(0).out;
    for name in ["to.geo", "to.geo.at", "to.geo.at.lat", "parcels", "parcels[].weight"] {
        assert!(row(&full, name).is_some(), "{name}: {full}");
    }
    assert!(!full.contains("--full"), "{full}");
    // A schema that contains itself ends.
    assert!(row(&full, "to.next.next.next.street").is_some(), "{full}");
    callgate(&["tools", file, "--full"]).exits(2).says("TOOL");
}

const DEEP: &str = concat!("\n", include_str!("pages.yaml"));

#[test]
fn an_example_repeats_flags_and_names_the_server_that_the_description_lacks() {
    let text = "openapi: 3.0.3\npaths: {/a: {get: {operationId: getA, summary: A}}}\n";
    let (_folder, file) = folder_with("my api.yaml", text);
    let bare = callgate(&["tools", file, "getA"]).exits(0).out;
    let expected = format!("callgate call '{file}' getA --server https://api.example.com");
    assert_eq!(example(&bare), expected);
    assert!(bare.contains("(the description names no server: put yours"), "{bare}");
    let service = ["--server", "https://b.example", "--bearer", "env:TOKEN"];
    let headers = ["-H", "X-Key: env:KEY", "-H", "X-Key2: canary"];
    let line = [&["tools", file, "getA"], &service[..], &headers[..]].concat();
    let given = callgate(&line).exits(0).out;
    let flags = "--server https://b.example --bearer env:TOKEN -H 'X-Key: env:KEY'";
    assert_eq!(example(&given), format!("callgate call '{file}' getA {flags}"));
    assert!(!given.contains("canary"), "{given}");
}

#[test]
fn the_example_of_a_call_with_a_session_gives_one() {
    let page = callgate(&["tools", "config/demo.yaml", "pets-greetOwner"]).exits(0).out;
    let line = example(&page);
    assert!(line.starts_with("printf %s '{") && line.ends_with("--session -"), "{page}");
}

#[test]
fn a_description_without_tools_ends_with_an_error() {
    let text = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: https://t.example}]\npaths: {}\n";
    let (_folder, file) = folder_with("empty.yaml", text);
    callgate(&["tools", file]).exits(1).says("offers no tool").says("callgate check");
}

#[test]
fn the_table_of_tools_has_headings() {
    let tools = callgate(&["tools", "config/demo.yaml"]).exits(0);
    assert!(tools.out.starts_with("TOOL  "), "{}", tools.out);
}

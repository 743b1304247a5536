//! `--overlay` and `overlays:`: descriptions that are corrected before they are used, and overlays that are wrong.

use crate::prelude::*;

const PETS: &str = "fixtures/pets/spec.yaml";

#[test]
fn an_overlay_corrects_what_a_model_sees() {
    let plain = callgate(&["tools", PETS, "--json"]).exits(0).json();
    let overlay = ["--overlay", "fixtures/pets/overlay.yaml"];
    let corrected = callgate(&[&["tools", PETS, "--json"][..], &overlay].concat()).exits(0).json();
    let (plain, corrected) = (plain.as_array().unwrap(), corrected.as_array().unwrap());
    assert!(corrected.iter().all(|tool| tool["method"] != "DELETE"));
    assert!(plain.len() > corrected.len());
    assert!(corrected[0]["description"].as_str().unwrap().contains("Ask for few fields"));
    callgate(&[&["check", PETS][..], &overlay].concat()).prints("refused");
    callgate(&[&["call", PETS, "deletePet", "petId=7", "--dry-run"][..], &overlay].concat())
        .exits(2);
}

#[track_caller]
fn check(overlay: &str, code: i32, told: &[&str]) {
    let (_folder, file) = folder_with("o.yaml", overlay);
    let ended = callgate(&["check", PETS, "--overlay", file]).exits(code);
    for part in told {
        assert!(ended.err.contains(part), "no `{part}` in {}", ended.err);
    }
}

#[test]
fn a_fault_of_an_overlay_is_shown_at_its_position() {
    let head = "overlay: 1.0.0\ninfo: { title: t, version: v }\nactions:\n";
    let nothing = format!("{head}  - target: $.nothing\n    remove: true\n");
    check(&nothing, 1, &["warning[overlay-no-match]", "o.yaml:4:5"]);
    let path = ["error[overlay-path]", "o.yaml:4:5", "o.yaml:5:5", "got: `updat`"];
    check(&format!("{head}  - target: info\n  - updat: 1\n"), 2, &path);
    let update = "target: $.info\n    update: 7\n  - target: $.servers\n    update: {}";
    check(&format!("{head}  - {update}\n"), 2, &["error[overlay-conflict]", "o.yaml:5:5"]);
    check("7", 2, &["error[overlay-invalid]", "expected an object, got: number"]);
    check("a: [", 2, &["error[unreadable-text]"]);
}

#[test]
fn an_overlay_of_a_configuration_is_relative_to_it() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "api.yaml", "openapi: 3.0.3\npaths:\n  /a:\n    get: {}\n");
    write(
        &folder,
        "o.json",
        r#"{"overlay": "1.1.0", "info": {"title": "t", "version": "v"},
            "actions": [{"target": "$.paths['/a'].get", "update": {"summary": "Ask for an a"}}]}"#,
    );
    let toolset = "toolsets:\n  a: {openapi: api.yaml, server: https://a.example, overlays: ";
    let file = write(&folder, "callgate.yaml", format!("{toolset}[o.json]}}\n"));
    callgate(&["check", file]).exits(0).prints("1 exposed, 0 degraded, 0 refused");
    callgate(&["check", file, "--overlay", "o.json"]).exits(2).says("overlays:");
    fs::write(file, format!("{toolset}[other.json]}}\n")).unwrap();
    callgate(&["check", file]).exits(2).says("cannot read").says("callgate.yaml:2");
    fs::write(file, format!("{toolset}o.json}}\n")).unwrap();
    callgate(&["check", file]).exits(2).says("a list of texts");
}

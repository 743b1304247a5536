//! What is shown of a configuration: no secret that stands in it, and nothing that may be one.

use crate::prelude::*;

/// Warned or refused, with the lines at fault shown and the secrets in them not.
fn check(auth: &str, expected: &str) {
    let description = root().join("fixtures/pets/spec.yaml");
    let text =
        format!("toolsets:\n  pets:\n    openapi: {}\n    auth: {auth}\n", description.display());
    let (_folder, file) = folder_with("callgate.yaml", text);
    for arguments in [&["check"][..], &["check", "--json"], &["check", "--format", "sarif"]] {
        let mut arguments = arguments.to_vec();
        arguments.push(file);
        let ended = callgate(&arguments);
        let shown = format!("{}{}", ended.out, ended.err);
        assert!(!shown.contains("canary"), "{shown}");
        assert!(shown.contains(expected), "{shown}");
    }
    let ended = callgate(&["call", file, "pets-getPet", "petId=7", "--dry-run"]);
    let shown = format!("{}{}", ended.out, ended.err);
    assert!(!shown.contains("canary") && shown.contains(expected), "{shown}");
}

#[test]
fn a_literal_and_a_value_at_a_wrong_place_are_not_shown() {
    check("{bearer: {token: 'literal:canary canary'}}", "literal-secret");
    check("\n      basic: {username: me, password: \"literal:canary\"}", "literal-secret");
    check("{api_key: {in: headr, value: literal:canary, name: X}}", "headr");
    check("{bearer: {token: canary}}", "secret-reference");
    check("\n      bearer:\n        token: sk-canary", "secret-reference");
    check("{api_key: {name: X, in: headr, value: canary}}", "secret-reference");
    check("{api_key: {name: X, value: canary, in: headr}}", "secret-reference");
    check("{bearer: {tokn: canary}}", "unknown-key");
    check("\n      bearer:\n        tokn: \"canary canary\"", "unknown-key");
    check("\n      bearer:\n        token: env:X\n        secret: canary", "unknown-key");
    check("canary", "wrong-value");
    check("[canary]", "wrong-value");
    check("none\n    tokn: canary", "unknown-key");
    check("none\n    limits: {timeout: sk-live-51H8xZk2canary}", "wrong-value");
}

#[test]
fn lines_of_files_that_are_no_descriptions_are_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "API_KEY=canary\nTOKEN=\"canary\n",
        "root:canary:0:0:root:/root:/bin/bash\n\tdaemon: canary: [",
        "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n",
        "{\"private_key\": \"canary\",, }",
        "password: [canary\n",
        "canary",
        "- canary\n- {",
    ] {
        let file = write(&folder, "file", text);
        for arguments in [&["check", file][..], &["tools", file], &["call", file, "x"]] {
            let ended = callgate(arguments);
            let shown = format!("{}{}", ended.out, ended.err);
            assert!(!shown.contains("canary"), "{text}: {shown}");
            assert!(shown.contains(file), "{text}: {shown}");
        }
    }
}

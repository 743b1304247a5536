//! The Rust examples of the README and the manual are those the crate ships, and they run.

#![cfg(test)]

use std::{fs, path::Path, process::Command};

/// A page shows the example, and the example prints each of these.
#[track_caller]
fn check(name: &str, code: &str, expected: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("manual");
    let pages = [root.join("README.md"), manual.join("library.md"), manual.join("extending.md")];
    let pages = pages.map(|page| fs::read_to_string(page).unwrap()).join("\n");
    let (_docs, code) = code.split_once("\n\n").unwrap();
    assert!(pages.contains(&format!("\n{code}```")), "no page shows `{name}` as it is");

    let tests = std::env::current_exe().unwrap();
    let binary = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    let output = Command::new(binary).current_dir(root).env("TOKEN", "canary").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}: {printed}");
    for expected in expected {
        assert!(printed.contains(expected), "{name}: {printed}");
    }
    assert!(!printed.contains("canary"), "{name}: {printed}");
}

#[test]
fn the_examples_of_the_readme_print_their_output() {
    check("call", include_str!("../examples/call.rs"), &["GET https://", r#""status":200"#]);
    let url = "https://api.example.com/v1/pets/7";
    check("embed", include_str!("../examples/embed.rs"), &[url, "Bearer ****"]);
    let tools = ["a door for calls", r#""time":"12:00""#, r#""at":"zone""#];
    check("own_tools", include_str!("../examples/own_tools.rs"), &tools);
    let middleware = ["this agent only reads", "erase ended"];
    check("own_middleware", include_str!("../examples/own_middleware.rs"), &middleware);
    check("own_store", include_str!("../examples/own_store.rs"), &[r#""status":200"#]);
}

#[test]
fn every_example_is_in_the_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = fs::read_dir(root.join("examples")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let rows = include_str!("readme.rs");
    let missing: Vec<_> =
        names.filter(|name| !rows.contains(&format!("examples/{name}"))).collect();
    assert_eq!(missing, [""; 0]);
}

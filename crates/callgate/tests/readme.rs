//! The README's Rust example is the example the crate ships, and it runs.

#![cfg(test)]

use std::{fs, path::Path, process::Command};

#[test]
fn the_readmes_example_is_the_one_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let example = include_str!("../examples/call.rs");
    let (_docs, code) = example.split_once("\n\n").unwrap();
    assert!(readme.contains(&format!("```rust\n{code}```")), "the README shows another example");

    let tests = std::env::current_exe().unwrap();
    let binary = tests.ancestors().nth(2).unwrap().join("examples/call");
    let output = Command::new(binary).current_dir(root).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("GET https://"), "{printed}");
    assert!(printed.contains(r#""status":200"#), "{printed}");
}

//! Databases get prepared statements only: several in one text would end a read-only transaction, and begin another.

use super::workspace::{File, rust_files};

/// Calls of libraries that take a script.
const SCRIPTS: [&str; 4] = ["batch_execute", "execute_batch", "query_drop", "simple_query"];

fn scripts(files: &[File]) -> Vec<String> {
    let is_code = |file: &&File| !file.path.contains("/tests/") && !file.path.ends_with("tests.rs");
    let mut found = Vec::new();
    for file in files.iter().filter(is_code) {
        let named = SCRIPTS.iter().filter(|name| file.text.contains(&format!("{name}(")));
        found.extend(named.map(|name| format!("{}: {name}", file.path)));
    }
    found
}

#[test]
fn a_script_is_found() {
    let file = |path: &str| {
        let text = format!("client.{}(text)", SCRIPTS[0]);
        File { path: path.to_owned(), text }
    };
    let files = [file("crates/database/src/a.rs"), file("crates/database/src/a/tests/b.rs")];
    assert_eq!(scripts(&files), ["crates/database/src/a.rs: batch_execute"]);
}

#[test]
fn the_crate_for_databases_sends_no_script() {
    assert_eq!(scripts(&rust_files("crates/database")), [""; 0]);
}

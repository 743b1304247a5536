//! The command has one way to each effect: a load names its effects in `open`, a file is written by `partial_file`, and a question
//! is answered in `question`. Code of tests is exempt.

use super::workspace::{File, rust_files};

/// What only one file of the command may call.
const WAYS: [(&str, &str); 6] = [
    ("Config::from_", "open.rs"),
    ("File::create(", "partial_file.rs"),
    ("Loader::new(", "open.rs"),
    ("OpenOptions::new(", "partial_file.rs"),
    ("fs::write(", "partial_file.rs"),
    (".read_line(", "question.rs"),
];

/// The rule: every call beside the one way.
fn other_ways(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for File { path, text } in files {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let ways = WAYS.iter().filter(|(call, file)| code.contains(call) && name != *file);
        found.extend(ways.map(|(call, file)| format!("{path}: `{call}` belongs to {file}")));
    }
    found
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let file = File::new(path, text);
    assert_eq!(other_ways(&[file]), expected);
}

#[test]
fn a_second_way_to_an_effect_is_refused() {
    let refused = "a/init.rs: `fs::write(` belongs to partial_file.rs";
    check("a/init.rs", "fn a() { fs::write(b, c) }", &[refused]);
    check(
        "a/init.rs",
        "fn a() { Loader::new() }",
        &["a/init.rs: `Loader::new(` belongs to open.rs"],
    );
}

#[test]
fn the_one_way_and_code_of_tests_are_accepted() {
    check("a/partial_file.rs", "fn a() { fs::write(b, c) }", &[]);
    check("a/init.rs", "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { fs::write(c, d) } }", &[]);
}

#[test]
fn the_command_has_one_way_to_each_effect() {
    let mut files = rust_files("crates/cli/src");
    // A module of tests.
    files.retain(|file| !file.path.ends_with("/corpus.rs"));
    assert_eq!(other_ways(&files), Vec::<String>::new());
}

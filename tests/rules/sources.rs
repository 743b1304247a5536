//! Rules for single files: how they begin, how long they are, what they are called, and that none names a place of the
//! machine it was written on.

use super::workspace::{File, rust_files, tracked_files};

/// Long enough for one subject, short enough to read in one go.
const LONGEST_FILE: usize = 400;

/// Words that say nothing about what a file is for.
const BANNED_WORDS: &[&str] =
    &["common", "helper", "helpers", "manager", "misc", "mod", "types", "util", "utils"];

/// What others call their product, which is then the name of the thing.
const PRODUCTS: &[&str] = &["secret_manager"];

/// Folders of a machine. In two parts, so that this file does not name them itself.
const MACHINE_FOLDERS: &[[&str; 2]] = &[["/ro", "ot/"], ["/t", "mp/"], ["/wo", "rk/"]];

/// The rule: files that do not say what they are for.
fn without_a_subject(files: &[File]) -> Vec<&str> {
    let bad = files.iter().filter(|file| !file.text.starts_with("//!"));
    bad.map(|file| file.path.as_str()).collect()
}

/// The rule: files that are too long.
fn too_long(files: &[File]) -> Vec<&str> {
    let bad = files.iter().filter(|file| file.text.lines().count() > LONGEST_FILE);
    bad.map(|file| file.path.as_str()).collect()
}

/// The rule: files and folders with a word that says nothing.
fn badly_named(files: &[File]) -> Vec<&str> {
    let bad = files.iter().filter(|file| {
        let mut names = file.path.split(['/', '.']).filter(|name| !PRODUCTS.contains(name));
        names.any(|name| name.split(['_', '-']).any(|word| BANNED_WORDS.contains(&word)))
    });
    bad.map(|file| file.path.as_str()).collect()
}

/// The rule: files that name a folder of a machine.
fn tied_to_a_machine(files: &[File]) -> Vec<&str> {
    let bad = files.iter().filter(|file| {
        MACHINE_FOLDERS.iter().any(|parts| names_folder(&file.text, &parts.concat()))
    });
    bad.map(|file| file.path.as_str()).collect()
}

/// Whether `folder` stands in `text` as the beginning of a path, not in the middle of one.
fn names_folder(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(at, _)| {
        let before = text.split_at(at).0.chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || "_-.}*".contains(before))
    })
}

fn code() -> Vec<File> {
    let mut files = rust_files("crates");
    files.extend(rust_files("tests"));
    files
}

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn a_file_that_does_not_say_its_subject_is_refused() {
    let files = [file("a.rs", "use std::fmt;\n"), file("b.rs", "//! Reads b.\n")];
    assert_eq!(without_a_subject(&files), ["a.rs"]);
}

#[test]
fn a_file_of_401_lines_is_refused() {
    let files = [file("a.rs", &"//!\n".repeat(401)), file("b.rs", &"//!\n".repeat(400))];
    assert_eq!(too_long(&files), ["a.rs"]);
}

#[test]
fn a_collective_file_name_is_refused() {
    let names = ["x/src/mod.rs", "x/src/http_utils.rs", "x/common/a.rs", "x/src/model.rs"];
    let files = names.map(|name| file(name, ""));
    assert_eq!(badly_named(&files), ["x/src/mod.rs", "x/src/http_utils.rs", "x/common/a.rs"]);
}

#[test]
fn a_path_of_a_machine_is_refused() {
    let folder = MACHINE_FOLDERS[1].concat();
    let bad = file("a.md", &format!("see `{folder}x`"));
    let good = file("b.md", &format!("see https://example.com{folder}x"));
    assert_eq!(tied_to_a_machine(&[bad, good]), ["a.md"]);
}

#[test]
fn every_file_says_its_subject() {
    assert_eq!(without_a_subject(&code()), [""; 0]);
}

#[test]
fn no_file_is_too_long() {
    assert_eq!(too_long(&code()), [""; 0]);
}

#[test]
fn no_file_has_a_collective_name() {
    assert_eq!(badly_named(&code()), [""; 0]);
}

#[test]
fn no_file_is_tied_to_a_machine() {
    assert_eq!(tied_to_a_machine(&tracked_files()), [""; 0]);
}

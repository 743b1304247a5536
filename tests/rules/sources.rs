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

/// Nouns with the ending of a participle, of which modules may be named.
const NOUNS: &str =
    "binding coding encoding ending finding framing grouping keyring listing logging masking
    naming listen open pruning querystring recording screen serving spelling token wording";

/// Names of the standard prelude.
const PRELUDE: &[&str] = &[
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Default", "Drop", "Eq", "Err", "Extend", "Fn",
    "From", "Into", "Iterator", "None", "Ok", "Option", "Ord", "Result", "Send", "Sized", "Some",
    "String", "Sync", "ToOwned", "ToString", "TryFrom", "TryInto", "Unpin", "Vec",
];

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

/// The rule: modules that are named by a participle instead of the noun of what they hold.
fn named_by_participles(files: &[File]) -> Vec<&str> {
    let is_participle = |word: &str| {
        let is_one = ["ed", "en", "ing", "held", "kept", "known", "shown", "told"];
        is_one.iter().any(|end| word.ends_with(end))
            && NOUNS.split_whitespace().all(|noun| noun != word)
    };
    let sources = files
        .iter()
        .filter(|file| file.path.split('/').nth(2) == Some("src") && !file.path.contains("/test"));
    let named = sources.filter(|file| {
        let name = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs"));
        name.and_then(|name| name.rsplit('_').next()).is_some_and(is_participle)
    });
    named.map(|file| file.path.as_str()).collect()
}

/// The rule: files with a type that hides a name of the prelude.
fn hiding_the_prelude(files: &[File]) -> Vec<&str> {
    let hides = |line: &str| {
        let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.any(|word| ["enum", "struct", "trait", "union"].contains(&word))
            && words.next().is_some_and(|name| PRELUDE.contains(&name))
    };
    let bad = files.iter().filter(|file| {
        let code = file.text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        code.filter(|line| !line.contains('"')).any(hides)
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
    File::new(path, text)
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

#[test]
fn a_module_named_by_a_participle_is_refused() {
    let files = ["crates/a/src/held.rs", "crates/a/src/token.rs", "crates/a/src/b/well_formed.rs"];
    let files = files.map(|path| file(path, ""));
    assert_eq!(
        named_by_participles(&files),
        ["crates/a/src/held.rs", "crates/a/src/b/well_formed.rs"]
    );
}

#[test]
fn a_type_that_hides_a_name_of_the_prelude_is_refused() {
    let files = [file("a.rs", "pub(crate) struct From<'a> {"), file("b.rs", "struct FromText;")];
    assert_eq!(hiding_the_prelude(&files), ["a.rs"]);
}

#[test]
fn no_module_is_named_by_a_participle() {
    assert_eq!(named_by_participles(&code()), [""; 0]);
}

#[test]
fn no_type_hides_a_name_of_the_prelude() {
    assert_eq!(hiding_the_prelude(&code()), [""; 0]);
}

//! The name of a test says the case and what must hold, in plain words: a test that fails is read by its name alone. A function is
//! named by the noun of what it returns, or by the verb of what it does.

use super::workspace::{File, rust_files};

/// Words with which a name asks instead of saying.
const QUESTIONS: &[&str] =
    &["how", "what", "whatever", "where", "which", "who", "whoever", "whose", "why"];

/// Words that make a name a riddle: the exact word exists.
const RIDDLES: &[&str] =
    &["asked", "leads", "meant", "somebody", "stands", "taken", "tell", "tells", "told"];

/// Participles that name nothing: a function with such a name returns anything.
const PARTICIPLES: &[&str] = &[
    "asked", "given", "known", "left", "meant", "ran", "said", "seen", "shown", "taken", "told",
    "written",
];

/// The folders whose functions have names already.
const NAMED: &[&str] = &[
    "crates/ces/",
    "crates/connector/",
    "crates/documents/",
    "crates/mcp/",
    "crates/search/",
    "crates/session/",
    "crates/state/",
    "crates/vertex/",
    "tests/testkit/",
];

/// The rule: names of tests that begin with a question word or have a word that says nothing.
fn riddles(file: &File) -> Vec<String> {
    let mut is_test = false;
    let mut found = Vec::new();
    for line in file.text.lines().map(str::trim) {
        let name = line.split_once("fn ").and_then(|(_, rest)| rest.split(['(', '<']).next());
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(name) = name.filter(|_| is_test && !line.starts_with("//")) {
            is_test = false;
            let mut words = name.split('_');
            let asks = words.next().is_some_and(|first| QUESTIONS.contains(&first));
            if asks || words.any(|word| RIDDLES.contains(&word)) {
                found.push(format!("{}: {name}", file.path));
            }
        }
    }
    found
}

/// The rule: functions of these folders that are named by a participle.
fn participles(file: &File) -> Vec<String> {
    let functions = file.text.lines().filter_map(|line| {
        let (before, rest) = line.trim().split_once("fn ")?;
        (!before.contains("//")).then_some(rest.split(['(', '<']).next()?)
    });
    let bad = functions.filter(|name| PARTICIPLES.contains(name));
    bad.map(|name| format!("{}: {name}", file.path)).collect()
}

#[test]
fn a_function_that_is_named_by_a_participle_is_refused() {
    let text = "async fn told(a: u8) {}\nfn told_apart() {}\n// fn asked()\nfn known<T>() {}";
    let file = File { path: "a.rs".to_owned(), text: text.to_owned() };
    assert_eq!(participles(&file), ["a.rs: told", "a.rs: known"]);
}

#[test]
fn no_function_is_named_by_a_participle() {
    let sources = rust_files("crates").into_iter().chain(rust_files("tests"));
    let named = sources.filter(|file| NAMED.iter().any(|folder| file.path.starts_with(folder)));
    let found: Vec<_> = named.flat_map(|file| participles(&file)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_test_name_that_asks_or_says_nothing_is_refused() {
    let text = "#[test]\nfn what_is_there_is_taken() {}\n#[tokio::test]\nasync fn a_word_is_told() {}\n\
        #[test]\nfn a_date_is_sent_as_it_is() {}\nfn asked() {}";
    let file = File { path: "a.rs".to_owned(), text: text.to_owned() };
    assert_eq!(riddles(&file), ["a.rs: what_is_there_is_taken", "a.rs: a_word_is_told"]);
}

#[test]
fn test_names_say_the_case() {
    let sources = rust_files("crates").into_iter().chain(rust_files("tests"));
    let found: Vec<_> = sources.flat_map(|file| riddles(&file)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

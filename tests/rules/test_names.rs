//! The name of a test says the case and what must hold, in plain words: a test that fails is read by its name alone. A function is
//! named by the noun of what it returns, or by the verb of what it does.

use super::workspace::{File, rust_files};

/// Words with which a name asks instead of saying.
const QUESTIONS: &[&str] =
    &["how", "what", "whatever", "where", "which", "who", "whoever", "whose", "why"];

/// Words that make a name a riddle: the exact word exists.
const RIDDLES: &[&str] =
    &["asked", "leads", "meant", "somebody", "stands", "taken", "tell", "tells", "told"];

/// Participles without the usual ending. A function with such a name returns anything.
const PARTICIPLES: &str =
    "begun bound brought built chosen come done drawn fallen felt given gone held hidden kept
    known left lent lost made meant met paid ran said seen sent shown spent spoken stood taken
    thrown told understood woken written";

/// Words with the ending of a participle that are none, and methods of traits of other crates.
const NO_PARTICIPLES: &[&str] =
    &["connected", "elapsed", "embed", "enabled", "feed", "need", "seed", "speed"];

/// Names that say nothing of a function.
const FILLERS: &[&str] = &["of", "one"];

/// Names that say nothing of a variable.
const EMPTY_BINDINGS: &[&str] = &["found", "known"];

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

/// The lines of a file outside its tests and comments.
fn code_lines(file: &File) -> impl Iterator<Item = &str> {
    let code = file.text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

/// The rule: functions that are named by a participle or by a filler.
fn empty_functions(file: &File) -> Vec<String> {
    let functions = code_lines(file).filter_map(|line| {
        let (before, rest) = line.split_once("fn ")?;
        (!before.contains(['"', '('])).then_some(rest.split(['(', '<']).next()?)
    });
    let bad = functions.filter(|name| {
        let is_participle = name.ends_with("ed") && !name.contains('_');
        (is_participle
            || PARTICIPLES.split_whitespace().any(|word| word == *name)
            || FILLERS.contains(name))
            && !NO_PARTICIPLES.contains(name)
    });
    bad.map(|name| format!("{}: {name}", file.path)).collect()
}

/// The rule: variables, parameters and fields with a name that says nothing.
fn empty_bindings(file: &File) -> Vec<String> {
    let names = |line: &&str| {
        EMPTY_BINDINGS.iter().any(|name| {
            line.match_indices(name).any(|(at, _)| {
                let (before, rest) = line.split_at(at);
                let rest = rest.strip_prefix(name).unwrap_or_default();
                let begins = before.is_empty()
                    || [" let ", "mut ", "|", "(", "|(", "&", ", "]
                        .iter()
                        .any(|end| before.ends_with(end))
                    || before == "let ";
                let ends =
                    [":", ",", ")", "|", " =", " in "].iter().any(|start| rest.starts_with(start));
                begins && ends && before.matches('"').count() % 2 == 0 && !rest.starts_with("::")
            })
        })
    };
    let bad = code_lines(file).filter(names);
    bad.map(|line| format!("{}: {line}", file.path)).collect()
}

/// The sources of the crates outside their tests.
fn sources() -> impl Iterator<Item = File> {
    let is_source = |file: &File| file.path.split('/').nth(2) == Some("src");
    rust_files("crates")
        .into_iter()
        .filter(move |file| is_source(file) && !file.path.contains("/tests"))
}

#[test]
fn a_function_that_is_named_by_a_participle_is_refused() {
    let text = "async fn told(a: u8) {}\nfn told_apart() {}\n// fn asked()\nfn known<T>() {}\n\
        fn of() {}\nfn elapsed() {}";
    let file = File::new("a.rs", text);
    assert_eq!(empty_functions(&file), ["a.rs: told", "a.rs: known", "a.rs: of"]);
}

#[test]
fn a_binding_that_says_nothing_is_refused() {
    let text = "let found = 1;\nlet known_keys = 2;\nmap(|(known, _)| known)\nprint(\"it is known, so\")\n\
        fn read(known: u8) {}\nself.unfound = 1;";
    let file = File::new("a.rs", text);
    let expected =
        ["a.rs: let found = 1;", "a.rs: map(|(known, _)| known)", "a.rs: fn read(known: u8) {}"];
    assert_eq!(empty_bindings(&file), expected);
}

#[test]
fn no_function_is_named_by_a_participle() {
    let bad: Vec<_> = sources().flat_map(|file| empty_functions(&file)).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn no_binding_says_nothing() {
    let bad: Vec<_> = sources().flat_map(|file| empty_bindings(&file)).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_test_name_that_asks_or_says_nothing_is_refused() {
    let text = "#[test]\nfn what_is_there_is_taken() {}\n#[tokio::test]\nasync fn a_word_is_told() {}\n\
        #[test]\nfn a_date_is_sent_as_it_is() {}\nfn asked() {}";
    let file = File::new("a.rs", text);
    assert_eq!(riddles(&file), ["a.rs: what_is_there_is_taken", "a.rs: a_word_is_told"]);
}

#[test]
fn test_names_say_the_case() {
    let sources = rust_files("crates").into_iter().chain(rust_files("tests"));
    let found: Vec<_> = sources.flat_map(|file| riddles(&file)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

//! Documentation begins with the thing it describes and not with a question: `The number of calls`, not `How many calls`.

use super::workspace::{File, rust_files};

/// Words that a first sentence should not begin with.
const QUESTIONS: &[&str] =
    &["How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"];

/// The share of first lines that may; it only goes down.
const MOST_PERCENT: usize = 3;

/// The first lines of documentation comments in a source.
fn first_lines(file: &File) -> impl Iterator<Item = &str> {
    let mut before = "";
    file.text.lines().map(str::trim).filter_map(move |line| {
        let begins = ["/// ", "//! "].into_iter().find_map(|mark| {
            let text = line.strip_prefix(mark)?;
            (!before.starts_with(mark.trim_end())).then_some(text)
        });
        before = line;
        begins
    })
}

/// The rule: first lines that begin with a question word, and how many first lines there are.
fn questions(files: &[File]) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let mut all = 0;
    for file in files {
        for line in first_lines(file) {
            all += 1;
            let word = line.split([' ', '.', ':', ',', '\'']).next().unwrap_or_default();
            if QUESTIONS.contains(&word) {
                found.push(format!("{}: {line}", file.path));
            }
        }
    }
    (found, all)
}

/// The rule: documentation that says `True if` above a function that returns no `bool`.
fn wrong_truths(file: &File) -> Vec<String> {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let says = |line: &str| {
        let rest = line.strip_prefix("/// ").unwrap_or_default();
        ["True if", "True for", "Returns true"].iter().any(|first| rest.starts_with(first))
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| says(line)) {
        let item = lines.iter().skip(at).skip_while(|line| {
            line.starts_with("//") || line.starts_with("#[") || line.ends_with(")]")
        });
        let mut head = String::new();
        for line in item {
            head.push_str(line);
            if line.ends_with(['{', ';', ','])
                && head.matches('(').count() == head.matches(')').count()
            {
                break;
            }
        }
        let result = head.contains("fn ").then(|| head.rsplit_once("->")).flatten();
        if result.is_some_and(|(_, result)| !result.contains("bool")) {
            found.push(format!("{}:{}: {line}", file.path, at + 1));
        }
    }
    found
}

#[test]
fn a_true_if_sentence_above_a_function_without_bool_is_reported() {
    let text = "/// True if it is.\nfn a(\n    b: u8,\n) -> bool {\n}\n/// True if so.\nfn c(d: &D) -> &E {\n}\n/// True if on.\non: bool,";
    let file = File::new("a.rs", text);
    assert_eq!(wrong_truths(&file), ["a.rs:6: /// True if so."]);
}

#[test]
fn every_true_if_sentence_documents_a_bool() {
    let found: Vec<_> = rust_files("crates").iter().flat_map(wrong_truths).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_question_word_at_the_beginning_is_found() {
    let text = "//! How it goes.\n//! What follows is no beginning.\n\n/// The number.\n/// Why.\n/// What it is.";
    let file = File::new("a.rs", text);
    let (found, all) = questions(&[file]);
    assert_eq!(found, ["a.rs: How it goes."]);
    assert_eq!(all, 2);
}

#[test]
fn few_first_sentences_begin_with_a_question_word() {
    let mut sources = rust_files("crates");
    sources.retain(|file| file.path.split('/').nth(2) == Some("src"));
    let (found, all) = questions(&sources);
    assert!(
        found.len() * 100 < all * MOST_PERCENT,
        "{} of {all}:\n{}",
        found.len(),
        found.join("\n")
    );
}

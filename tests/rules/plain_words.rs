//! Documentation says things in the words of the field: what is reported is not *told*, and an item does not lean on its
//! neighbours by *as there*, because rustdoc shows each item alone.

use super::workspace::{File, rust_files};

/// Expressions that make a reader stop, and what to write in their place.
const STIFF: &[(&str, &str)] = &[
    ("as there", "what is meant"),
    ("hear of", "are notified of"),
    ("hears of", "is notified of"),
    ("is told", "is reported"),
    ("stands around", "surrounds; of calls: middleware"),
    ("such a one", "the noun"),
    ("told apart", "distinguished"),
    ("told of", "informed of, or: receives"),
];

/// The rule: lines of documentation with a stiff expression.
fn stiff(file: &File) -> Vec<String> {
    let documented = file.text.lines().map(str::trim).enumerate();
    let documented =
        documented.filter(|(_, line)| line.starts_with("///") || line.starts_with("//!"));
    documented
        .filter_map(|(at, line)| {
            let (words, better) = STIFF.iter().find(|(words, _)| has(line, words))?;
            Some(format!("{}:{}: `{words}`; write: {better}", file.path, at + 1))
        })
        .collect()
}

/// True if a line has these words, and not only as a part of other words.
fn has(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + words.len()..).and_then(|text| text.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[test]
fn a_stiff_expression_is_found_where_it_is_documentation() {
    let text =
        "/// It is told by name.\n/// It was as therefore said.\n// is told\nlet a = \"is told\";";
    let file = File::new("a.rs", text);
    assert_eq!(stiff(&file), ["a.rs:1: `is told`; write: is reported"]);
}

#[test]
fn documentation_has_no_stiff_expressions() {
    let mut sources = rust_files("crates");
    sources.retain(|file| file.path.split('/').nth(2) == Some("src"));
    let found: Vec<_> = sources.iter().flat_map(stiff).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

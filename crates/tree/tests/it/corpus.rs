//! Real descriptions: every one of the shared corpus is read, and nodes of it are found in its text.

use std::fs;

use callgate_testkit::{corpus, descriptions};
use callgate_tree::{Diagnostic, Limits, Node, Severity, TextCode, fill_positions, read};

fn finding(pointer: String) -> Diagnostic {
    let found = Diagnostic::new(TextCode::UnreadableText, Severity::Note, String::new(), "");
    Diagnostic { pointer, ..found }
}

/// The last member of the last member and so on, as a pointer.
fn last_pointer(node: &Node) -> String {
    let mut pointer = String::new();
    let mut node = node;
    while let Some((name, member)) = node.as_object().and_then(|object| object.iter().last()) {
        pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        node = member;
    }
    pointer
}

#[test]
fn every_description_of_the_corpus_is_read() {
    let Some(specs) = corpus("specs") else { return };
    let files = descriptions(&specs);
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read(&file).unwrap();
        let parsed = match read(&text, &Limits::default()) {
            Ok(parsed) => parsed,
            Err(diagnostics) => panic!("{}: {diagnostics:?}", file.display()),
        };
        let last = last_pointer(&parsed.value);
        let mut findings = ["/info/title", "/paths", "/none", &last].map(|p| finding(p.to_owned()));
        fill_positions(&text, &mut findings);
        assert!(findings.iter().all(|f| f.position.is_some()), "{}", file.display());
        for diagnostic in parsed.diagnostics {
            let position = diagnostic.position;
            callgate_testkit::say(&format!("{}: {diagnostic} {position:?}", file.display()));
        }
    }
}

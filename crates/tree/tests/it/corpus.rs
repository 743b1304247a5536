//! Real descriptions: every one of the shared corpus is read, and nodes of it are found in its text.

use std::fs;
use std::path::{Path, PathBuf};

use callgate_tree::{Diagnostic, Limits, Node, Severity, TextCode, locate, read};

/// The files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| {
            path.extension().is_some_and(|end| ["json", "yaml", "yml"].iter().any(|e| end == *e))
        })
        .collect()
}

/// The folder of the corpus, when there is one.
fn corpus() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the place of the corpus is told to tests only")]
    let shared = std::env::var("CALLGATE_SHARED").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let specs = shared.unwrap_or_else(|_| beside()).join("corpus/specs");
    specs.is_dir().then_some(specs)
}

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
#[expect(clippy::print_stderr, reason = "a test that could check nothing says so")]
fn every_description_of_the_corpus_is_read() {
    let Some(specs) = corpus() else {
        eprintln!("corpus absent");
        return;
    };
    let files = files(&specs);
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read(&file).unwrap();
        let parsed = match read(&text, &Limits::default()) {
            Ok(parsed) => parsed,
            Err(diagnostics) => panic!("{}: {diagnostics:?}", file.display()),
        };
        let last = last_pointer(&parsed.value);
        let mut findings = ["/info/title", "/paths", "/none", &last].map(|p| finding(p.to_owned()));
        locate(&text, &mut findings);
        assert!(findings.iter().all(|f| f.position.is_some()), "{}", file.display());
        for diagnostic in parsed.diagnostics {
            eprintln!("{}: {diagnostic} {:?}", file.display(), diagnostic.position);
        }
    }
}

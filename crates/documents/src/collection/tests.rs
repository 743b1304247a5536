//! The folder as it changes: what is found is what its files hold now.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use callgate_testkit::temporary_folder as folder;
use proptest::{collection::vec, prelude::*};
use sha2::{Digest as _, Sha256};
use tempfile::{TempDir, tempdir};

use super::*;
use crate::{filter::Filter, finding::UNREADABLE, folder::Patterns, snippet::Snippet};

fn collection(dir: &TempDir) -> Collection {
    let limits = DocumentsLimits::default();
    let patterns = Patterns::new(&[], &[]).expect("patterns");
    let folder = Folder::open(dir.path(), patterns, limits).expect("a folder");
    let reading = ReadOptions { metadata: MetadataSource::FrontMatter, extractor: None, limits };
    let collection = Collection::new(folder, reading, None);
    collection.refresh();
    collection
}

fn search(collection: &Collection, question: &str) -> Vec<Snippet> {
    collection.search(question, 10, &Filter::default()).snippets
}

#[track_caller]
fn check(collection: &Collection, question: &str, expected: &[&str]) {
    let found = search(collection, question);
    assert_eq!(found.iter().map(|it| it.document.as_str()).collect::<Vec<_>>(), expected);
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_snippet_says_where_it_is_from() {
    let text = "---\ntitle: Backups\n---\n# Backups\n\n## Restore\n\nCopy the file back.\n";
    let dir = folder(&[("a.md", text)]);
    let found = search(&collection(&dir), "restoring");
    let [snippet] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(snippet.title, "Backups");
    assert_eq!(snippet.section, "Backups > Restore");
    assert_eq!(snippet.text, "# Backups\n\n## Restore\n\nCopy the file back.");
    assert_eq!((snippet.lines, snippet.digest.as_str()), ((4, 8), digest(text).as_str()));
}

#[test]
fn a_row_is_found_by_itself_and_read_by_its_number() {
    let dir =
        folder(&[("faq.csv", "question,answer\nOpen?,At nine\nClosed?,\"On Sunday,\nalways\"\n")]);
    let collection = collection(&dir);
    let found = search(&collection, "sunday");
    let [snippet] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(snippet.document, "faq.csv#2");
    assert_eq!(snippet.answer.as_deref(), Some("On Sunday,\nalways"));
    let all = LineRange { from: 1, to: 9 };
    let excerpt = collection
        .read_lines("faq.csv#2", all, &Filter::default())
        .expect("it is there")
        .expect("lines");
    assert_eq!(excerpt.text, "Closed?\n\nOn Sunday,\nalways");
    assert_eq!(excerpt.digest, snippet.digest);
    assert_eq!(digest(&excerpt.text), snippet.digest);
    for name in ["faq.csv", "faq.csv#3", "faq.csv#0", "faq.csv#x", "../faq.csv#1"] {
        assert!(collection.read_lines(name, all, &Filter::default()).is_none(), "{name}");
    }
}

#[test]
fn changes_of_the_folder_are_followed() {
    let dir = folder(&[("a.md", "cats"), ("b.md", "dogs")]);
    let collection = collection(&dir);
    check(&collection, "cat", &["a.md"]);
    // Within the second in which no comparison is made: the digest shows the change.
    fs::write(dir.path().join("a.md"), "cows").expect("written");
    check(&collection, "cat", &[]);
    check(&collection, "cow", &["a.md"]);
    fs::remove_file(dir.path().join("a.md")).expect("removed");
    check(&collection, "cow", &[]);
    fs::write(dir.path().join("c.md"), "cats").expect("written");
    collection.refresh();
    check(&collection, "cat", &["c.md"]);
    drop(dir);
    collection.refresh();
    check(&collection, "cat dog", &[]);
    assert!(collection.findings().iter().any(|finding| finding.code == FOLDER));
}

#[test]
fn many_files_are_indexed_as_if_each_was_read_alone() {
    let dir = tempdir().expect("a folder");
    let name = |n: usize| format!("{n:03}.md");
    for n in 0..400 {
        let text = format!("# Page {n}\n\nA word{n}, and cats.\n");
        fs::write(dir.path().join(name(n)), text).expect("written");
    }
    let collection = collection(&dir);
    assert_eq!(collection.index().file_document_piece_counts(), [400, 400, 400]);
    for n in [0, 127, 128, 255, 256, 399] {
        check(&collection, &format!("word{n}"), &[&name(n)]);
    }
    // Of equal pieces, those of the first files are the best.
    let names: Vec<String> = (0..10).map(name).collect();
    check(&collection, "cats", &names.iter().map(String::as_str).collect::<Vec<_>>());
    for n in 0..399 {
        fs::write(dir.path().join(name(n)), format!("A dog{n}.\n")).expect("written");
    }
    collection.refresh();
    check(&collection, "cats", &["399.md"]);
    check(&collection, "dog398", &["398.md"]);
    check(&collection, "word399", &["399.md"]);
}

#[test]
fn documents_that_stay_are_found_after_many_others_were_removed() {
    let rows = |word: &str| -> String {
        (0..5000).map(|n| format!("{{\"text\": \"{word}{n}\"}}\n")).collect()
    };
    let dir = folder(&[("a.md", "cats"), ("m.jsonl", &rows("old")), ("z.md", "# Pets\n\ndogs")]);
    let collection = collection(&dir);
    check(&collection, "old4999", &["m.jsonl#5000"]);
    fs::write(dir.path().join("m.jsonl"), rows("new")).expect("written");
    collection.refresh();
    assert_eq!(collection.index().file_document_piece_counts(), [3, 5002, 5002]);
    check(&collection, "old4999", &[]);
    check(&collection, "new0", &["m.jsonl#1"]);
    check(&collection, "new4999", &["m.jsonl#5000"]);
    check(&collection, "dogs", &["z.md"]);
    fs::remove_file(dir.path().join("m.jsonl")).expect("removed");
    collection.refresh();
    assert_eq!(collection.index().file_document_piece_counts(), [2, 2, 2]);
    check(&collection, "cats", &["a.md"]);
    check(&collection, "dogs", &["z.md"]);
}

#[test]
fn a_file_that_becomes_unreadable_is_reported_and_not_shown() {
    let dir = folder(&[("a.md", "cats"), ("b.md", "cats")]);
    let collection = collection(&dir);
    fs::write(dir.path().join("a.md"), b"cats \xff").expect("written");
    collection.refresh();
    check(&collection, "cat", &["b.md"]);
    let findings = collection.findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.code, UNREADABLE);
    assert!(finding.message.starts_with("`a.md:1`: "), "{}", finding.message);
    fs::write(dir.path().join("a.md"), "cats").expect("written");
    collection.refresh();
    assert_eq!((search(&collection, "cat").len(), collection.findings().len()), (2, 0));
}

#[test]
fn hostile_files_are_reported_or_read_within_bounds() {
    let dir = folder(&[
        ("deep.html", &"<div>".repeat(100_000)),
        ("line.txt", &"x".repeat(10 << 20)),
        ("rows.jsonl", &format!("{}\n", "[".repeat(100_000))),
        ("open.csv", "a,b\n\"never closed\n"),
        ("matter.md", &format!("---\na: {}\n---\ncats", "[".repeat(10_000))),
        ("entities.html", &"&#x1F408;&".repeat(10_000)),
    ]);
    fs::write(dir.path().join("bytes.md"), [0xff; 1000]).expect("written");
    let collection = collection(&dir);
    let findings = collection.findings();
    let files: Vec<_> = findings.iter().filter_map(|it| it.message.split('`').nth(1)).collect();
    let expected =
        ["bytes.md:1", "deep.html", "line.txt:1", "matter.md:2", "open.csv:2", "rows.jsonl:1"];
    assert_eq!(files, expected);
    check(&collection, "cats", &["matter.md"]);
}

#[test]
fn a_long_document_is_read_in_parts() {
    let text = "0123456789abcde\n".repeat(5000);
    let dir = folder(&[("a.txt", &text), ("b.txt", &format!("{}\nz", "y".repeat(100_000)))]);
    let collection = collection(&dir);
    let read = |name: &str, from| {
        let wanted = LineRange { from, to: usize::MAX };
        collection.read_lines(name, wanted, &Filter::default()).expect("a document")
    };
    let first = read("a.txt", 1).expect("lines");
    assert_eq!((first.lines.to, first.n_lines, first.text.len()), (1024, 5000, 16 << 10));
    assert_eq!(read("a.txt", 4999).expect("lines").text, "0123456789abcde\n".repeat(2));
    assert_eq!(read("a.txt", 5001).expect_err("no line"), 5000);
    let cut = read("b.txt", 1).expect("lines");
    assert_eq!((cut.is_cut, cut.lines.to, cut.text.len()), (true, 1, 16 << 10));
}

fn text() -> impl Strategy<Value = String> {
    "(# [a-c]{1,3}\n)?(\u{feff}|---\n)?([a-d]{1,4}[ \n]{1,2}){0,30}\r?\n?"
}

fn write(dir: &Path, name: usize, text: &str) {
    let hidden = dir.join(format!(".{name}"));
    fs::write(&hidden, text).expect("written");
    fs::rename(hidden, dir.join(format!("{name}.md"))).expect("renamed");
}

/// True if a snippet is a piece of a text, at its lines, and has the text's digest.
fn is_exact(snippet: &Snippet, text: &str) -> bool {
    let (from, to) = snippet.lines;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let shown = lines.get(from - 1..to).map(<[_]>::concat).unwrap_or_default();
    digest(text) == snippet.digest && shown.contains(&snippet.text)
}

/// Edits, truncates, replaces and removes files until it is stopped. Returns the texts that they had.
fn edits(dir: &Path, is_done: &AtomicBool) -> BTreeSet<String> {
    let mut versions = BTreeSet::new();
    for n in 0.. {
        if is_done.load(Ordering::SeqCst) {
            break;
        }
        let (name, text) =
            (n % 5, format!("# Part {n}\n\n{}", "A cat saw a dog.\n\n".repeat(n % 99)));
        let path = dir.join(format!("{name}.md"));
        match n % 4 {
            0 => fs::write(&path, &text).expect("written"),
            1 => {
                let cut = text.get(..text.len() / 2).expect("ASCII").to_owned();
                fs::write(&path, &text).expect("written");
                let file = fs::File::options().write(true).open(&path).expect("opened");
                file.set_len(cut.len() as u64).expect("truncated");
                versions.insert(cut);
            }
            2 => write(dir, name, &text),
            _ => drop(fs::remove_file(&path)),
        }
        versions.insert(text);
        thread::yield_now();
    }
    versions
}

#[test]
fn snippets_of_2000_searches_are_exact_while_files_are_edited_truncated_replaced_and_removed() {
    let dir = tempdir().expect("a folder");
    let collection = collection(&dir);
    let is_done = AtomicBool::new(false);
    let (versions, snippets) = thread::scope(|scope| {
        let writer = scope.spawn(|| edits(dir.path(), &is_done));
        let mut snippets = Vec::new();
        for _ in 0..2000 {
            collection.refresh();
            snippets.extend(search(&collection, "cats and dogs"));
        }
        is_done.store(true, Ordering::SeqCst);
        (writer.join().expect("it ends"), snippets)
    });
    let digests: BTreeMap<String, &String> =
        versions.iter().map(|text| (digest(text), text)).collect();
    assert!(snippets.len() > 100, "{}", snippets.len());
    for snippet in &snippets {
        let is_version = digests.get(&snippet.digest).is_some_and(|text| is_exact(snippet, text));
        // A file that is written in place may be read while only its beginning is there.
        let is_begun = |text: &String| {
            let mut begun = (0..text.len()).filter_map(|end| text.get(..end));
            begun.any(|begun| is_exact(snippet, begun))
        };
        assert!(is_version || versions.iter().any(is_begun), "{snippet:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every snippet is a piece of a version that its document had, at its lines, and its digest is that version's.
    #[test]
    fn snippets_are_exact_while_the_folder_changes(
        versions in vec((0..3_usize, text()), 1..40),
        in_place in any::<bool>(),
    ) {
        let dir = tempdir().expect("a folder");
        let collection = collection(&dir);
        let is_done = AtomicBool::new(false);
        let snippets = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for (name, text) in &versions {
                    if in_place {
                        fs::write(dir.path().join(format!("{name}.md")), text).expect("written");
                    } else {
                        write(dir.path(), *name, text);
                    }
                    thread::yield_now();
                }
                is_done.store(true, Ordering::SeqCst);
            });
            let mut snippets = Vec::new();
            while !is_done.load(Ordering::SeqCst) {
                collection.refresh();
                snippets.extend(search(&collection, "a b c ab bc abc d aa bb dd"));
            }
            writer.join().expect("it ends");
            collection.refresh();
            snippets.extend(search(&collection, "a b c ab bc abc d aa bb dd"));
            snippets
        });
        for snippet in snippets {
            let name: usize = snippet.document.trim_end_matches(".md").parse().expect("a number");
            let mut own = versions.iter().filter(|(written, _)| *written == name);
            // A file that is written in place is also read half written: its digest is that of no version.
            let is_partial = |text: &str| in_place && text.contains(&snippet.text);
            prop_assert!(own.any(|(_, text)| is_exact(&snippet, text) || is_partial(text)), "{snippet:?}");
        }
    }
}

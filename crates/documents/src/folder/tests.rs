//! Links, pipes and files beyond the limits are left out of a folder, and said.

#![cfg(unix)]

use std::{os::unix::fs::symlink, process::Command};

use callgate_testkit::temporary_folder as folder;
use tempfile::TempDir;

use super::*;

fn open_folder(dir: &TempDir, limits: DocumentsLimits) -> Folder {
    Folder::open(dir.path(), Patterns::new(&[], &[]).expect("patterns"), limits).expect("a folder")
}

#[test]
fn files_in_folders_are_listed_and_hidden_ones_are_not() {
    let dir = folder(&[("b/c/d.md", "x"), ("a.txt", "xy"), (".git/e.md", ""), ("f.rs", "")]);
    let scanned = open_folder(&dir, DocumentsLimits::default()).scan().expect("listed");
    let found: Vec<_> =
        scanned.files.iter().map(|(path, stamp)| (path.as_str(), stamp.bytes)).collect();
    assert_eq!(found, [("a.txt", 2), ("b/c/d.md", 1)]);
    assert_eq!(scanned.findings, []);
}

#[test]
fn links_pipes_and_files_beyond_a_limit_are_left_out_with_a_finding() {
    let outside = folder(&[("secret.md", "x"), ("more/secret.md", "x")]);
    let dir = folder(&[("a.md", "x"), ("big.md", "123456"), ("1/2/3/deep.md", "x")]);
    symlink(outside.path().join("secret.md"), dir.path().join("link.md")).expect("a link");
    symlink(outside.path().join("more"), dir.path().join("folder")).expect("a link");
    let pipe = Command::new("mkfifo").arg(dir.path().join("pipe.md")).status();
    assert!(pipe.expect("it runs").success());
    let limits = DocumentsLimits { file_bytes: 5, depth: 2, ..DocumentsLimits::default() };
    let folder = open_folder(&dir, limits);
    let scanned = folder.scan().expect("listed");
    let paths: Vec<_> = scanned.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a.md"]);
    let messages = scanned.findings.iter().map(|finding| finding.message.as_str());
    let mut files: Vec<_> = messages.filter_map(|message| message.split('`').nth(1)).collect();
    files.sort_unstable();
    assert_eq!(files, ["1/2/3", "big.md", "folder", "link.md", "pipe.md"]);
    for path in
        ["link.md", "folder/secret.md", "pipe.md", "big.md", "../a.md", "/etc/passwd", "1", ""]
    {
        assert!(folder.read(path).is_err(), "{path}");
    }
    assert_eq!(folder.read("a.md").expect("it is read").0, b"x");
}

#[test]
fn a_path_with_parts_that_lead_elsewhere_is_refused() {
    for path in ["..", "a/../b", "./a", "a//b", "/a", "a/", "a\\b", "a\0"] {
        assert_eq!(safe_path_parts(path), None, "{path}");
    }
    assert_eq!(safe_path_parts("a/b..c"), Some(vec!["a", "b..c"]));
}

#[test]
fn files_beyond_the_limits_of_all_are_left_out() {
    let dir = folder(&[("a.md", "123"), ("b.md", "123"), ("c.md", "123")]);
    let scanned = |limits| open_folder(&dir, limits).scan().expect("listed");
    let few = scanned(DocumentsLimits { files: 2, ..DocumentsLimits::default() });
    assert_eq!((few.files.len(), few.findings.len()), (2, 1));
    let small = scanned(DocumentsLimits { bytes: 6, ..DocumentsLimits::default() });
    assert_eq!((small.files.len(), small.findings.len()), (2, 1));
}

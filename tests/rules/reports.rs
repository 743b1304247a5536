//! `tests/reports.md` names the tests of each kind of reported fault; each of them exists.

use super::rust_files;
use crate::prelude::*;

/// The tests that the last column of a table names.
fn named(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let last = rows.filter_map(|row| row.trim_end_matches([' ', '|']).rsplit(" | ").next());
    last.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_tests_of_the_last_column_are_found() {
    let page = "| kind | tests |\n|---|---|\n| a `b` | `c_d`, `e` |\n";
    assert_eq!(named(page), BTreeSet::from(["c_d", "e"]));
}

#[test]
fn every_test_that_the_page_of_reports_names_exists() {
    let sources: Vec<_> = ["crates", "tests"].into_iter().flat_map(rust_files).collect();
    let named = named(include_str!("../reports.md"));
    assert!(named.len() > 50, "{}", named.len());
    let is_missing = |name: &&&str| {
        let head = format!("fn {name}(");
        !sources.iter().any(|file| file.text.contains(&head))
    };
    assert_eq!(named.iter().filter(is_missing).collect::<Vec<_>>(), Vec::<&&str>::new());
}

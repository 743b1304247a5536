//! Who takes steps from the effort of a description. The parser is bounded because reading takes them by itself: a rule that
//! reads by the cursor, an iterator of the meter or a copy cannot forget to. Charges that are written by hand can be forgotten;
//! few are left, and they grow no more. Read with `syn`; test code is exempt.

use super::{
    test_code::{code_of, is_file_of_tests},
    workspace::{File, rust_files},
};
use crate::prelude::*;

/// The most charges by hand that there may be: a reference that is followed, a schema that is made, bytes, a definition.
const MOST_BY_HAND: usize = 5;

/// The name of what takes steps.
const CHARGE: &str = "spend_steps";

/// The files that charging by reading is made of.
const CHARGING: [&str; 2] = ["crates/openapi/src/cursor.rs", "crates/openapi/src/meter.rs"];

/// The number of times a file names what takes steps.
#[derive(Default)]
struct Charges(usize);

impl Charges {
    fn of(file: &File) -> usize {
        let mut charges = Self::default();
        charges.visit_file(&code_of(file));
        charges.0
    }
}

impl<'ast> Visit<'ast> for Charges {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.0 += usize::from(ident == CHARGE);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        let tokens = called.tokens.to_string();
        let words = tokens.split(|c: char| !c.is_alphanumeric() && c != '_');
        self.0 += words.filter(|word| *word == CHARGE).count();
    }
}

/// The rule: the files that take steps by hand, where they do so more often than they may.
fn by_hand(files: &[File]) -> Vec<String> {
    let is_exempt =
        |file: &&File| is_file_of_tests(&file.path) || CHARGING.contains(&file.path.as_str());
    let others = files.iter().filter(|file| !is_exempt(file));
    let found: Vec<_> = others.map(|file| (file, Charges::of(file))).collect();
    let is_fine = found.iter().map(|(_, n)| n).sum::<usize>() <= MOST_BY_HAND;
    let named = found.into_iter().filter(|(_, n)| *n > 0 && !is_fine);
    named.map(|(file, n)| format!("{} {n}", file.path)).collect()
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let path = format!("crates/openapi/src/{path}");
    assert_eq!(by_hand(&[File::new(&path, text)]), expected, "{text}");
}

#[test]
fn more_manual_charges_than_allowed_are_refused() {
    let a =
        "fn a(effort: &Effort) { effort.spend_steps(1); matches!(effort.spend_steps(2), true) }";
    check(
        "a.rs",
        &format!("{a} fn b(effort: &Effort) {{ [1, 2].map(Effort::spend_steps); }}"),
        &[],
    );
    let more =
        "fn spend_steps(effort: &Effort) { effort.spend_steps(1) } fn b() { spend_steps(c); }";
    check(
        "a.rs",
        &format!("{a} {more} fn c(effort: &Effort) {{ effort.spend_steps(3); }}"),
        &["crates/openapi/src/a.rs 6"],
    );
}

#[test]
fn charges_by_reading_and_in_tests_are_accepted() {
    let many = "fn a(effort: &Effort) { effort.spend_steps(effort.spend_steps(effort.spend_steps(effort.spend_steps(1)))); effort.spend_steps(1); effort.spend_steps(1) }";
    check("meter.rs", many, &[]);
    check("a/tests.rs", many, &[]);
    check("a.rs", &format!("#[cfg(test)] mod tests {{ {many} }}"), &[]);
    check("a.rs", "fn a(spent: usize) { spends(is_spent) }", &[]);
}

#[test]
fn the_parser_charges_by_reading() {
    assert_eq!(by_hand(&rust_files("crates/openapi/src")), [""; 0]);
}

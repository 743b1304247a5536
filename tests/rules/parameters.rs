//! What functions take. No function takes several things as one pair to keep below the most parameters there may be: what
//! belongs together is a struct with a name. And the parser reads through its cursor, which holds the document and the
//! findings: no function takes both. Read with `syn`; test code is exempt.

use crate::prelude::*;
use syn::{FnArg, TraitItemFn};

use super::{
    test_code::{code_of, is_file_of_tests},
    workspace::{File, rust_files},
};

/// The functions of a file that break a rule.
#[derive(Default)]
struct Broken {
    pairs: Vec<String>,
    document_and_findings: Vec<String>,
}

impl Broken {
    fn of(file: &File) -> Self {
        let mut broken = Self::default();
        broken.visit_file(&code_of(file));
        broken
    }

    fn look(&mut self, signature: &Signature) {
        let name = signature.ident.to_string();
        let types = || {
            signature.inputs.iter().filter_map(|argument| match argument {
                FnArg::Receiver(_) => None,
                FnArg::Typed(typed) => Some(bare(&typed.ty)),
            })
        };
        if types().any(|taken| matches!(taken, Type::Tuple(tuple) if !tuple.elems.is_empty())) {
            self.pairs.push(name.clone());
        }
        let takes = |name: &str| types().any(|taken| is_called(taken, name));
        if takes("Document") && takes("Findings") {
            self.document_and_findings.push(name);
        }
    }
}

/// A type without its references.
fn bare(taken: &Type) -> &Type {
    match taken {
        Type::Reference(reference) => bare(&reference.elem),
        taken => taken,
    }
}

fn is_called(taken: &Type, name: &str) -> bool {
    let Type::Path(path) = taken else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == name)
}

impl<'ast> Visit<'ast> for Broken {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.look(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.look(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.look(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }
}

/// The code of the crates, without tests.
fn code() -> Vec<File> {
    let mut files = rust_files("crates");
    files.retain(|file| file.path.contains("/src/") && !is_file_of_tests(&file.path));
    files
}

/// The rule: functions that take a pair.
fn with_pairs(files: &[File]) -> Vec<String> {
    let of = |file: &File| {
        let found = Broken::of(file).pairs.into_iter();
        found.map(|name| format!("{}: {name}", file.path)).collect::<Vec<_>>()
    };
    files.iter().flat_map(of).collect()
}

/// The rule: functions that take what the cursor holds.
fn beside_the_cursor(files: &[File]) -> Vec<String> {
    let of = |file: &File| {
        let found = Broken::of(file).document_and_findings.into_iter();
        found.map(|name| format!("{}: {name}", file.path)).collect::<Vec<_>>()
    };
    // The cursor itself is made of them.
    let others = files.iter().filter(|file| !file.path.ends_with("openapi/src/cursor.rs"));
    others.flat_map(of).collect()
}

fn file(text: &str) -> File {
    File::new("crates/a/src/b.rs", text)
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(Broken::of(&file(text)).pairs, expected, "{text}");
}

#[test]
fn a_pair_as_a_parameter_is_refused() {
    check("fn a((b, c): (B, C), d: D) {}", &["a"]);
    check("impl A { fn a(&self, b: &(B, C)) {} } trait T { fn b(c: (C,)); }", &["a", "b"]);
    assert_eq!(with_pairs(&[file("fn a(b: (B, C)) {}")]), ["crates/a/src/b.rs: a"]);
}

#[test]
fn pairs_in_lists_and_tests_and_nothing_at_all_are_accepted() {
    check("fn a(b: &[(B, C)], c: Option<(B, C)>, d: ()) -> (B, C) {}", &[]);
    check("#[cfg(test)] mod tests { fn a(b: (B, C)) {} }", &[]);
}

#[test]
fn a_document_and_findings_as_parameters_are_refused() {
    let text =
        "fn a(document: &'d Document, findings: &mut Findings) {} fn b(document: &Document) {}";
    assert_eq!(beside_the_cursor(&[file(text)]), ["crates/a/src/b.rs: a"]);
}

#[test]
fn no_function_of_the_parser_has_a_pair_of_related_parameters() {
    assert_eq!(with_pairs(&code()), [""; 0]);
}

#[test]
fn the_parser_reads_through_its_cursor() {
    assert_eq!(beside_the_cursor(&code()), [""; 0]);
}

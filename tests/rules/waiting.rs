//! No test waits on the clock of the wall: what sleeps runs in a test whose time is paused, or is not there. Read with
//! `syn`; a function sleeps when it, or one of its file that it names, does.

use super::workspace::{File, rust_files};
use crate::prelude::*;

/// Names of what waits, of `tokio` and of `std`.
const WAITS: [&str; 3] = ["sleep", "sleep_ms", "sleep_until"];

/// The functions of a file.
#[derive(Default)]
struct Functions {
    names: BTreeMap<String, BTreeSet<String>>,
    /// Tests with their own clock.
    paused: BTreeSet<String>,
    tests: BTreeSet<String>,
    /// Whether the file is for tests as a whole, or a module around this one is.
    is_test: bool,
    at: Vec<String>,
}

/// The rule: tests that sleep on the wall clock, and helpers of tests that sleep for whoever calls them.
fn waiting(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let syntax: Syntax = syn::parse_file(&file.text).expect("a file is Rust");
        let mut functions = Functions { is_test: is_for_tests(&file.path), ..Functions::default() };
        functions.visit_file(&syntax);
        let sleeping = functions.sleeping();
        let bad = |name: &&String| {
            let is_shared = functions.tests.is_empty();
            (functions.tests.contains(*name) || is_shared) && !functions.paused.contains(*name)
        };
        found.extend(sleeping.iter().filter(bad).map(|name| format!("{}: {name}", file.path)));
    }
    found
}

fn is_for_tests(path: &str) -> bool {
    // Programs that measure are no tests: they run by themselves.
    let measures = path.starts_with("tests/load/");
    let stands_in = !measures && (path.starts_with("tests/") || path.contains("/tests/"));
    let name = path.rsplit('/').next().unwrap_or_default();
    stands_in || matches!(name, "tests.rs" | "test_server.rs")
}

impl Functions {
    /// The functions that sleep, or name one of the file that does.
    fn sleeping(&self) -> BTreeSet<String> {
        let mut sleeping: BTreeSet<&str> = WAITS.into_iter().collect();
        loop {
            let n_known = sleeping.len();
            let sleeps = |named: &BTreeSet<String>| {
                named.iter().any(|named| sleeping.contains(named.as_str()))
            };
            let found = self.names.iter().filter(|(_, named)| sleeps(named));
            let found: Vec<_> = found.map(|(name, _)| name.as_str()).collect();
            sleeping.extend(&found);
            if sleeping.len() == n_known {
                return found.into_iter().map(str::to_owned).collect();
            }
        }
    }

    fn name(&mut self, name: &str) {
        if let Some(function) = self.at.last() {
            self.names.entry(function.clone()).or_default().insert(name.to_owned());
        }
    }

    fn function(&mut self, name: &str, attributes: &[Attribute], body: impl FnOnce(&mut Self)) {
        let says = |word: &str| {
            let tokens = |attribute: &Attribute| {
                attribute.meta.require_list().map(|list| list.tokens.to_string()).ok()
            };
            attributes.iter().filter_map(tokens).any(|tokens| tokens.contains(word))
        };
        let is_test = |attribute: &Attribute| {
            attribute.path().segments.last().is_some_and(|last| last.ident == "test")
        };
        if attributes.iter().any(is_test) {
            self.tests.insert(name.to_owned());
        }
        if says("start_paused = true") {
            self.paused.insert(name.to_owned());
        }
        self.names.entry(name.to_owned()).or_default();
        self.at.push(name.to_owned());
        body(self);
        self.at.pop();
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let names_test = |attribute: &Attribute| {
            let list = attribute.meta.require_list().ok();
            list.is_some_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
        };
        let was_test = self.is_test;
        self.is_test |= module.attrs.iter().any(names_test);
        visit::visit_item_mod(self, module);
        self.is_test = was_test;
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if self.is_test {
            self.function(&item.sig.ident.to_string(), &item.attrs, |functions| {
                visit::visit_item_fn(functions, item);
            });
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if self.is_test {
            self.function(&item.sig.ident.to_string(), &item.attrs, |functions| {
                visit::visit_impl_item_fn(functions, item);
            });
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if let Some(last) = path.segments.last() {
            let name = last.ident.to_string();
            // `pause()` gives the function a clock of its own.
            if let (true, Some(function)) = (name == "pause", self.at.last()) {
                self.paused.insert(function.clone());
            }
            self.name(&name);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let tokens = call.tokens.to_string();
        for word in tokens.split(|each: char| !each.is_alphanumeric() && each != '_') {
            self.name(word);
        }
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let file = |path: &str| File::new(path, text);
    assert_eq!(waiting(&[file("tests/integration/a.rs")]), expected, "{text}");
}

#[test]
fn a_test_that_sleeps_on_the_wall_clock_is_refused() {
    let sleeps = "async fn a() { tokio::time::sleep(D).await; }";
    check(&format!("#[tokio::test] {sleeps}"), &["tests/integration/a.rs: a"]);
    check("#[test] fn a() { std::thread::sleep(D) }", &["tests/integration/a.rs: a"]);
    check("#[test] fn a() { b() } fn b() { join!(sleep(D)) }", &["tests/integration/a.rs: a"]);
    check(sleeps, &["tests/integration/a.rs: a"]);
    check(&format!("#[tokio::test(start_paused = true)] {sleeps}"), &[]);
    check(
        &format!("fn p() {{ tokio::time::pause(); b() }} #[tokio::test] {sleeps}"),
        &["tests/integration/a.rs: a"],
    );
}

#[test]
fn code_that_is_no_test_may_wait() {
    let wait = format!("{}(D)", WAITS[0]);
    let waits = format!("async fn a() {{ {wait}.await; }}");
    let file = |text: String| File { path: "crates/auth/src/oauth2.rs".to_owned(), text };
    assert_eq!(waiting(&[file(waits.clone())]), [""; 0]);
    let inline = format!("{waits} #[cfg(test)] mod tests {{ #[test] fn b() {{ {wait} }} }}");
    assert_eq!(waiting(&[file(inline)]), ["crates/auth/src/oauth2.rs: b"]);
}

#[test]
fn no_test_waits_on_the_wall_clock() {
    let mut files = rust_files("crates");
    files.extend(rust_files("tests").into_iter().filter(|file| !file.path.contains("/target/")));
    assert_eq!(waiting(&files), [""; 0]);
}

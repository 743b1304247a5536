//! The statements of databases are prepared: nothing but a single statement reaches a database, whatever a text holds. So the
//! calls that run a text of several statements are not there. Test code is exempt.

use super::{
    test_code::{code_of, is_file_of_tests},
    workspace::{File, rust_files},
};
use crate::prelude::*;

/// The calls of the drivers that take a script, or a text that is not prepared.
const SCRIPTS: [&str; 4] = ["batch_execute", "execute_batch", "simple_query", "simple_query_raw"];

#[derive(Default)]
struct Scripts(Vec<String>);

impl Scripts {
    fn of(file: &File) -> Vec<String> {
        let mut scripts = Self::default();
        scripts.visit_file(&code_of(file));
        scripts.0
    }
}

impl<'ast> Visit<'ast> for Scripts {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        if SCRIPTS.iter().any(|script| ident == script) {
            self.0.push(ident.to_string());
        }
    }
}

/// The rule: the files of the crate that run scripts.
fn scripts(files: &[File]) -> Vec<String> {
    let own = files.iter().filter(|file| file.path.starts_with("crates/database/src/"));
    let own = own.filter(|file| !is_file_of_tests(&file.path));
    let found = own.flat_map(|file| {
        Scripts::of(file).into_iter().map(move |script| format!("{}: `{script}`", file.path))
    });
    found.collect()
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(scripts(&[File::new(path, text)]), expected, "{text}");
}

#[test]
fn a_call_that_takes_a_script_is_refused() {
    let path = "crates/database/src/postgres.rs";
    let found = ["crates/database/src/postgres.rs: `simple_query`"];
    check(path, "fn f(c: C) { c.simple_query(TEXT); }", &found);
    check(path, "fn f() -> F { C::simple_query }", &found);
    check(path, "fn f(c: C) { c.query(TEXT); }", &[]);
    check(path, "#[cfg(test)] mod tests { fn f(c: C) { c.simple_query(TEXT); } }", &[]);
    check("crates/state/src/file.rs", "fn f(c: C) { c.execute_batch(TEXT); }", &[]);
}

#[test]
fn the_crate_of_databases_prepares_every_statement() {
    let files = rust_files("crates/database/src");
    assert!(files.iter().any(|file| file.path.starts_with("crates/database/src/")));
    assert_eq!(scripts(&files), [""; 0]);
}

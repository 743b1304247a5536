//! `config` has two sides: reading takes a text to values, building takes values to parts. They meet in values alone: a file
//! of one side names types of the other, never its functions. Both write faults and read files with the crate `settings`.

use super::{
    imports::imports,
    test_code::code_of,
    workspace::{File, rust_files},
};
use crate::prelude::*;

/// The module of the building side.
const BUILDING: &str = "build";

/// One file on its way through the rule.
struct Walk<'a> {
    file: &'a str,
    /// The module that the file is, from the root of its crate.
    at: Vec<String>,
    crossings: Vec<String>,
}

/// The rule: every name of a function, of a module or of everything (`*`) that one side takes from the other.
fn crossings(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path != "lib.rs") {
        let at = file.path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        let mut walk = Walk { file: &file.path, at, crossings: Vec::new() };
        walk.visit_file(&code_of(file));
        found.append(&mut walk.crossings);
    }
    found
}

impl Walk<'_> {
    fn names(&mut self, path: &[String]) {
        let Some(path) = self.below_the_root(path) else { return };
        let Some(module) = path.first() else { return };
        let builds = |module: &str| module == BUILDING;
        let is_value = path.iter().any(|name| name.starts_with(char::is_uppercase));
        if is_value || builds(module) == builds(&self.at[0]) {
            return;
        }
        self.crossings.push(format!("{}: {}", self.file, path.join("::")));
    }

    /// A path inside the crate, without `crate` and `super`.
    fn below_the_root(&self, path: &[String]) -> Option<Vec<String>> {
        let n_up = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" => {
                let kept = self.at.len().saturating_sub(n_up);
                Some([&self.at[..kept], &path[n_up..]].concat())
            }
            _ => None,
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for (mut path, name) in imports(&item.tree) {
            path.extend((name == "*").then_some(name));
            self.names(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let names: Vec<_> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.names(&names);
        visit::visit_path(self, path);
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let file = |(path, text): &(&str, &str)| File::new(path, text);
    assert_eq!(crossings(&files.iter().map(file).collect::<Vec<_>>()), expected);
}

#[test]
fn a_function_of_the_other_side_is_refused() {
    check(&[("build/a.rs", "use crate::tls::read;")], &["build/a.rs: tls::read"]);
    check(&[("build/a.rs", "use crate::{tls::{self, T}};")], &["build/a.rs: tls"]);
    check(&[("build.rs", "fn f() { super::tls::read() }")], &["build.rs: tls::read"]);
    check(&[("a.rs", "fn f() { crate::build::tls::load() }")], &["a.rs: build::tls::load"]);
    check(&[("a.rs", "use crate::build::*;")], &["a.rs: build::*"]);
}

#[test]
fn values_other_crates_and_the_own_side_are_free() {
    check(
        &[("build/a.rs", "use crate::{tls::TlsConfig, build::b}; use callgate_settings::at;")],
        &[],
    );
    check(&[("build/a.rs", "use super::b; use super::b::f; use std::fs;")], &[]);
    check(&[("a.rs", "use crate::{build::Built, tls}; fn f() -> Built { tls::read() }")], &[]);
    check(&[("a.rs", "#[cfg(test)] mod tests { use crate::build::f; }")], &[]);
}

#[test]
fn reading_and_building_a_configuration_meet_in_values() {
    let sources = "crates/config/src/";
    let mut files = rust_files(sources);
    for file in &mut files {
        file.path = file.path.strip_prefix(sources).expect("a file below the folder").to_owned();
    }
    assert_eq!(crossings(&files), [""; 0]);
}

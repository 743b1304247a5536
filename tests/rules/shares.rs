//! The things that all callers of a process share: queues, permits, threads, pools, caches and kept records. Each file that makes one stands
//! in the list of `SECURITY.md`, which says its bounds and how it is divided, so that nothing shared comes without either.
//! Read with `syn`; test code and the command, which serves one person, are exempt.

use crate::prelude::*;
use syn::{ExprCall, GenericArgument, PathArguments, TypePath};

use super::{
    test_code::{code_of, is_file_of_tests},
    workspace::{File, root, rust_files},
};

/// The functions that make something shared: the last two parts of their paths; `*` for any type.
const CONSTRUCTORS: [(&str, &str); 16] = [
    ("*", "spawn_blocking"),
    ("*", "sync_channel"),
    ("*", "unbounded_channel"),
    ("Builder", "spawn"),
    ("FairQueue", "new"),
    ("FuturesUnordered", "new"),
    ("JoinSet", "new"),
    ("Memory", "new"),
    ("Memory", "refusing"),
    ("Semaphore", "new"),
    ("SingleFlight", "new"),
    ("SingleFlights", "new"),
    ("broadcast", "channel"),
    ("mpsc", "channel"),
    ("thread", "spawn"),
    ("thread", "scope"),
];

/// The types that grow, and are shared where they lie behind a lock.
const GROWING: [&str; 7] =
    ["BTreeMap", "BTreeSet", "HashMap", "HashSet", "IndexMap", "Vec", "VecDeque"];

const LOCKS: [&str; 2] = ["Mutex", "RwLock"];

/// The crates that serve one person, or tests.
const EXEMPT: [&str; 2] = ["crates/cli/", "crates/testkit/"];

/// The heading of the list.
const HEADING: &str = "## What all callers share";

#[derive(Default)]
struct Shares(BTreeSet<String>);

impl Shares {
    fn of(file: &File) -> BTreeSet<String> {
        let mut shares = Self::default();
        shares.visit_file(&code_of(file));
        shares.0
    }
}

impl<'ast> Visit<'ast> for Shares {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let names: Vec<_> =
                path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let last = names.last().map_or("", String::as_str);
            let of = names.iter().rev().nth(1).map_or("", String::as_str);
            let is_one =
                |(module, name): &(&str, &str)| *name == last && (*module == of || *module == "*");
            if CONSTRUCTORS.iter().any(is_one) {
                self.0.insert(format!("{of}::{last}"));
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "spawn_scoped" {
            self.0.insert("spawn_scoped".to_owned());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_type_path(&mut self, path: &'ast TypePath) {
        if let Some(last) = path.path.segments.last()
            && LOCKS.iter().any(|lock| last.ident == lock)
            && let PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(GenericArgument::Type(Type::Path(inner))) = arguments.args.first()
            && let Some(inner) = inner.path.segments.last()
            && GROWING.iter().any(|growing| inner.ident == growing)
        {
            self.0.insert(format!("{}<{}>", last.ident, inner.ident));
        }
        visit::visit_type_path(self, path);
    }
}

/// The rows of the list of a text.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    let section = text.split(HEADING).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter(|line| line.starts_with('|'))
}

/// The files that a row names, as paths below `crates`.
fn files_in_row(row: &str) -> impl Iterator<Item = String> {
    let names = row.split('`').skip(1).step_by(2);
    let files = names.filter_map(|name| name.strip_suffix(".rs"));
    files.filter_map(|name| {
        name.split_once('/').map(|(of, rest)| format!("crates/{of}/src/{rest}.rs"))
    })
}

/// The files that the list of a text names, as paths below `crates`.
fn files_in_list(text: &str) -> BTreeSet<String> {
    rows(text).flat_map(files_in_row).collect()
}

/// The rule: the rows whose principals take turns, and none of whose files makes the one type of share.
fn rows_without_turns<'t>(files: &[File], text: &'t str) -> Vec<&'t str> {
    let takes_turns =
        |row: &&str| row.rsplit('|').nth(1).is_some_and(|last| last.contains("in turn"));
    let makes_share = |path: String| {
        let file = files.iter().find(|file| file.path == path);
        file.is_some_and(|file| Shares::of(file).contains("FairQueue::new"))
    };
    rows(text).filter(takes_turns).filter(|row| !files_in_row(row).any(makes_share)).collect()
}

/// The rule: the files that make something shared and stand in no list.
fn missing_rows(files: &[File], listed: &BTreeSet<String>) -> Vec<String> {
    let is_exempt = |file: &&File| {
        is_file_of_tests(&file.path) || EXEMPT.iter().any(|of| file.path.starts_with(of))
    };
    let in_source = files.iter().filter(|file| file.path.contains("/src/"));
    let others = in_source.filter(|file| !is_exempt(file) && !listed.contains(&file.path));
    let shares = others.map(|file| (file, Shares::of(file))).filter(|(_, found)| !found.is_empty());
    shares.map(|(file, found)| format!("{}: {found:?}", file.path)).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let path = "crates/auth/src/a.rs";
    let expected: Vec<_> = expected.iter().map(|found| format!("{path}: {{{found:?}}}")).collect();
    assert_eq!(missing_rows(&[File::new(path, text)], &BTreeSet::new()), expected);
}

#[test]
fn each_kind_of_shared_thing_must_be_listed() {
    check("fn a() { let a = tokio::sync::Semaphore::new(1); }", &["Semaphore::new"]);
    check("fn a() { let (a, b) = mpsc::channel(1); }", &["mpsc::channel"]);
    check("fn a() { let (a, b) = unbounded_channel(); }", &["::unbounded_channel"]);
    check("async fn a() { spawn_blocking(|| ()).await }", &["::spawn_blocking"]);
    check("struct A(Mutex<BTreeMap<String, Vec<u8>>>);", &["Mutex<BTreeMap>"]);
    check("struct A { a: std::sync::RwLock<Vec<u8>> }", &["RwLock<Vec>"]);
}

#[test]
fn the_parts_of_one_request_and_of_a_test_need_no_row() {
    check("fn a() { let a = BTreeMap::new(); }", &[]);
    check("struct A(Mutex<Option<u8>>);", &[]);
    check("#[cfg(test)] mod tests { fn a() { Semaphore::new(1); } }", &[]);
}

#[test]
fn a_list_is_read_from_its_section_alone() {
    let text = format!(
        "## A\n| `a/b.rs` |\n{HEADING}\n| c | `c/d.rs`, `c/e/f.rs` |\n\n## G\n| `g/h.rs` |\n"
    );
    let files = files_in_list(&text).into_iter().collect::<Vec<_>>();
    assert_eq!(files, ["crates/c/src/d.rs", "crates/c/src/e/f.rs"]);
}

#[test]
fn a_row_in_turn_must_have_the_type_of_share_in_a_file() {
    let file = |text: &str| File::new("crates/c/src/d.rs", text);
    let text =
        format!("{HEADING}\n| a | `c/d.rs` | 1 | in turn |\n| b | `c/d.rs` | in turn | none |\n");
    let semaphore = [file("fn a() { Semaphore::new(1); }")];
    assert_eq!(rows_without_turns(&semaphore, &text), ["| a | `c/d.rs` | 1 | in turn |"]);
    let share = [file("fn a() { FairQueue::new(bounds()); }")];
    assert_eq!(rows_without_turns(&share, &text), Vec::<&str>::new());
}

#[test]
fn the_list_has_a_row_for_each_shared_thing() {
    let path = root().join("SECURITY.md");
    let text = fs::read_to_string(path).expect("the file is there");
    let (files, listed) = (rust_files("crates"), files_in_list(&text));
    assert_eq!(missing_rows(&files, &listed), Vec::<String>::new());
    assert_eq!(rows_without_turns(&files, &text), Vec::<&str>::new());
    let absent = listed.iter().filter(|path| !root().join(path).is_file());
    assert_eq!(absent.collect::<Vec<_>>(), Vec::<&String>::new());
}

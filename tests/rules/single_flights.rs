//! Who holds a lock while it asks somebody. What takes time to get is asked for once however many want it, and what follows from
//! that (a caller that leaves, a failure, a refusal, a renewal) is thought of once, in `secret`. Read with `syn`; test code is exempt.

use super::{
    imports::imports,
    test_code::{code_of, is_file_of_tests},
    workspace::{File, rust_files},
};
use crate::prelude::*;

/// What a single flight of one's own is made of: a module and a name in it.
const PARTS: [(&str, &str); 7] = [
    ("sync", "Mutex"),
    ("sync", "OnceCell"),
    ("sync", "OwnedMutexGuard"),
    ("sync", "RwLock"),
    ("future", "Shared"),
    ("future", "WeakShared"),
    ("lock", "Mutex"),
];

/// The libraries that have them; those of the standard library wait for no answer.
const LIBRARIES: [&str; 3] = ["futures", "futures_util", "tokio"];

/// The files that may name them.
const EXEMPT: [(&str, &str); 4] = [
    ("crates/mcp/src/lines.rs", "one message after the other goes to a pipe"),
    ("crates/secret/src/single_flight.rs", "here it is"),
    ("crates/transport/src/client.rs", "a pool is made once and is good for ever"),
    ("crates/transport/src/network.rs", "roots of trust are read once and are good for ever"),
];

/// The parts that a file names.
#[derive(Default)]
struct Parts(Vec<String>);

impl Parts {
    fn of(file: &File) -> Vec<String> {
        let mut parts = Self::default();
        parts.visit_file(&code_of(file));
        parts.0
    }

    fn take(&mut self, path: &[String]) {
        let is_of_library = path.first().is_some_and(|first| LIBRARIES.contains(&&**first));
        if let [.., module, name] = path
            && is_of_library
            && PARTS.contains(&(module, name))
        {
            self.0.push(path.join("::"));
        }
    }
}

impl<'ast> Visit<'ast> for Parts {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for (path, _) in imports(&item.tree) {
            self.take(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        self.take(&names.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }
}

/// The rule: the files with parts of a single flight of their own.
fn own(files: &[File]) -> Vec<String> {
    let is_exempt = |file: &&File| {
        is_file_of_tests(&file.path) || EXEMPT.iter().any(|(path, _)| *path == file.path)
    };
    let others = files.iter().filter(|file| !is_exempt(file));
    let named = others.flat_map(|file| {
        Parts::of(file).into_iter().map(|part| format!("{} names `{part}`", file.path))
    });
    named.collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(own(&[File::new("crates/auth/src/a.rs", text)]), expected, "{text}");
}

#[test]
fn a_second_single_flight_is_refused() {
    let found = "crates/auth/src/a.rs names `tokio::sync::Mutex`";
    check("use tokio::{sync::{Mutex, Notify}, time::Instant};", &[found]);
    check("use tokio::sync::Mutex as Held;", &[found]);
    check("struct A { held: tokio::sync::Mutex<()> }", &[found]);
    let shared = "crates/auth/src/a.rs names `futures_util::future::Shared`";
    check("use futures_util::{FutureExt, future::{BoxFuture, Shared}};", &[shared]);
}

#[test]
fn other_locks_and_those_of_tests_are_accepted() {
    check("use std::sync::{Mutex, OnceLock}; use tokio::sync::{Notify, Semaphore, watch};", &[]);
    check("#[cfg(test)] mod tests { use tokio::sync::Mutex; }", &[]);
    check("struct A { held: std::sync::Mutex<()> }", &[]);
}

#[test]
fn only_one_single_flight_exists() {
    assert_eq!(own(&rust_files("crates")), Vec::<String>::new());
}

//! The modules of a crate import each other without a circle. Siblings are compared: `a`, all that lies under it, and
//! `b` are two groups; below `a`, so are `a::b` and `a::c`. The crate's root is one more sibling, and what it
//! re-exports counts as named where it is defined. Test code is exempt. Where the edges come from is in `graph`.

use crate::prelude::*;

mod graph;

use self::graph::{Graph, Module};
use super::workspace::{File, root, rust_files};

/// How the crate's own root is shown among its modules.
const ROOT: &str = "crate";

/// Who names whom among the children of one module.
type Siblings = BTreeMap<String, BTreeSet<String>>;

/// The rule: one circle for each parent whose children import each other in a circle.
fn circles(files: &[File]) -> Vec<String> {
    let mut parents: BTreeMap<Module, Siblings> = BTreeMap::new();
    for (from, to) in Graph::of(files).edges() {
        let shared = from.iter().zip(to).take_while(|(one, other)| one == other).count();
        let parent = from[..shared].to_vec();
        let (Some(from), Some(to)) = (child(from, shared), child(to, shared)) else { continue };
        parents.entry(parent).or_default().entry(from).or_default().insert(to);
    }
    let told = |(parent, siblings): (&Module, &Siblings)| {
        let below =
            if parent.is_empty() { String::new() } else { format!("{}: ", parent.join("::")) };
        circle(siblings).map(|circle| below + &circle)
    };
    parents.iter().filter_map(told).collect()
}

/// The group a module belongs to below a parent of that depth. A module and its own children are one group, except at
/// the root, which everything lies under.
fn child(module: &Module, depth: usize) -> Option<String> {
    let root = (depth == 0).then(|| ROOT.to_owned());
    module.get(depth).cloned().or(root)
}

fn circle(siblings: &Siblings) -> Option<String> {
    siblings.keys().find_map(|start| way_back(siblings, start, &mut vec![start.clone()]))
}

/// The way from the last of `trail` to `start`, if there is one without a repeated step.
fn way_back(siblings: &Siblings, start: &str, trail: &mut Vec<String>) -> Option<String> {
    for next in siblings.get(trail.last()?).into_iter().flatten() {
        if next == start {
            trail.push(next.clone());
            return Some(trail.join(" → "));
        }
        if !trail.contains(next) {
            trail.push(next.clone());
            if let Some(found) = way_back(siblings, start, trail) {
                return Some(found);
            }
            trail.pop();
        }
    }
    None
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let file = |(path, text): &(&str, &str)| File::new(path, text);
    let files: Vec<_> = files.iter().map(file).collect();
    assert_eq!(circles(&files), expected);
}

#[test]
fn two_modules_that_import_each_other_are_refused() {
    let lib = ("lib.rs", "mod a; mod b;");
    check(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")], &["a → b → a"]);
    check(&[lib, ("a.rs", "use super::b;"), ("b.rs", "fn f() { crate::a::g() }")], &["a → b → a"]);
    check(&[lib, ("a.rs", "use crate::b;"), ("b.rs", "fn f(x: super::a::A) {}")], &["a → b → a"]);
    let macros = ("b.rs", "fn f() { format!(\"{}\", crate::a::g()); }");
    check(&[lib, ("a.rs", "use crate::{b::{B, C}};"), macros], &["a → b → a"]);
}

#[test]
fn a_circle_over_three_modules_is_refused() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::A;"),
    ];
    check(&files, &["a → b → c → a"]);
}

#[test]
fn a_circle_through_a_re_export_is_refused() {
    let lib = ("lib.rs", "mod a; mod b; pub use a::A; pub use self::b::{B as Bee};");
    check(&[lib, ("a.rs", "use crate::Bee;"), ("b.rs", "use crate::A;")], &["a → b → a"]);
}

#[test]
fn a_crate_root_in_a_circle_with_its_module_is_refused() {
    let main = ("main.rs", "mod args; struct S; fn main() { args::parse() }");
    check(&[main, ("args.rs", "use crate::S;")], &["args → crate → args"]);
}

#[test]
fn a_circle_below_a_module_is_refused() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod b; mod c;"),
        ("a/b.rs", "use super::c::C;"),
        ("a/c.rs", "use crate::a::b::B;"),
    ];
    check(&files, &["a: b → c → b"]);
}

#[test]
fn children_of_two_modules_make_a_circle_of_their_parents() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "mod x;"),
        ("a/x.rs", "use crate::b::B;"),
        ("b.rs", "use crate::a::A;"),
    ];
    check(&files, &["a → b → a"]);
}

#[test]
fn a_re_export_by_the_root_is_no_edge() {
    let lib = ("lib.rs", "mod a; mod b; pub use a::A; struct Here;");
    check(&[lib, ("a.rs", "use crate::Here;"), ("b.rs", "use crate::A;")], &[]);
}

#[test]
fn a_module_and_its_children_are_one_group() {
    let files = [("lib.rs", "mod a;"), ("a.rs", "mod b; use b::B;"), ("a/b.rs", "use super::A;")];
    check(&files, &[]);
}

#[test]
fn a_visibility_is_no_edge() {
    let main = ("main.rs", "mod args; fn main() { args::parse() }");
    check(&[main, ("args.rs", "pub(crate) struct A { pub(in crate::args) b: u8 }")], &[]);
}

#[test]
fn test_code_is_exempt() {
    let lib = ("lib.rs", "mod a; mod b; #[cfg(test)] mod probe;");
    let inline = ("a.rs", "#[cfg(test)] mod tests { use crate::b::B; }");
    let function = ("b.rs", "use crate::a::A; #[cfg(test)] fn f() { crate::b::g() }");
    check(&[lib, inline, function, ("probe.rs", "use crate::a::A;")], &[]);
    let own = ("a.rs", "#[cfg(not(test))] use crate::b::B;");
    check(&[lib, own, ("b.rs", "use crate::a::A;")], &["a → b → a"]);
}

#[test]
fn no_crate_has_a_circle_of_modules() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let folders = crates.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let sources = format!("crates/{name}/src/");
        let mut files = rust_files(&sources);
        for file in &mut files {
            file.path = file.path.strip_prefix(&sources).unwrap().to_owned();
        }
        found.extend(circles(&files).iter().map(|circle| format!("{name}: {circle}")));
    }
    assert_eq!(found, [""; 0]);
}

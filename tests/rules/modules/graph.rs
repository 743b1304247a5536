//! Which module of a crate names which, read with `syn` from the sources. Macros are read as text, since their
//! arguments have no grammar. Judges nothing: circles are the business of the parent.

use crate::prelude::*;
use syn::ItemImpl;

use super::super::{imports::imports, workspace::File};

/// A module by its path from the crate's root, which is empty.
pub(super) type Module = Vec<String>;

/// How often a re-export may lead to another one.
const LONGEST_CHAIN: usize = 8;

/// The modules of a crate and the edges between them.
pub(super) struct Graph {
    modules: BTreeSet<Module>,
    imports: BTreeMap<(Module, String), Vec<String>>,
    edges: BTreeSet<(Module, Module)>,
}

/// Something a module names.
struct Reference {
    from: Module,
    path: Vec<String>,
    exported: bool,
}

/// Walks one file.
struct Walk {
    at: Module,
    modules: BTreeSet<Module>,
    only_tests: BTreeSet<Module>,
    references: Vec<Reference>,
    imports: BTreeMap<(Module, String), Vec<String>>,
}

impl Graph {
    /// Reads the files of one crate; their paths are relative to its `src`.
    pub(super) fn of(files: &[File]) -> Self {
        let mut walk = Walk {
            at: Module::new(),
            modules: BTreeSet::new(),
            only_tests: BTreeSet::new(),
            references: Vec::new(),
            imports: BTreeMap::new(),
        };
        for file in files {
            let syntax: Syntax = syn::parse_file(&file.text)
                .unwrap_or_else(|error| panic!("`{}` is Rust: {error}", file.path));
            walk.at = module_of(&file.path);
            walk.modules.insert(walk.at.clone());
            walk.visit_file(&syntax);
        }
        let Walk { mut modules, only_tests, references, imports, .. } = walk;
        let exempt = |module: &Module| only_tests.iter().any(|test| module.starts_with(test));
        modules.retain(|module| !exempt(module));
        let mut graph = Self { modules, imports, edges: BTreeSet::new() };
        for reference in references.iter().filter(|reference| !exempt(&reference.from)) {
            graph.add(reference);
        }
        graph
    }

    /// Every edge once.
    pub(super) fn edges(&self) -> &BTreeSet<(Module, Module)> {
        &self.edges
    }

    fn add(&mut self, reference: &Reference) {
        let Some(to) = self.target(&reference.from, &reference.path, LONGEST_CHAIN) else { return };
        let re_exported = reference.exported && to.starts_with(&reference.from);
        if to != reference.from && !re_exported {
            self.edges.insert((reference.from.clone(), to));
        }
    }

    /// The module that defines what `path` names inside `from`; nothing when that is outside the crate.
    fn target(&self, from: &Module, path: &[String], chain: usize) -> Option<Module> {
        let (mut at, mut rest) = self.start(from, path)?;
        while let [name, after @ ..] = rest {
            let mut below = at.clone();
            below.push(name.clone());
            if self.modules.contains(&below) {
                (at, rest) = (below, after);
                continue;
            }
            let import = self.imports.get(&(at.clone(), name.clone()));
            let further = import.filter(|_| chain > 0).map(|import| [import, after].concat());
            let defined = further.and_then(|path| self.target(&at, &path, chain - 1));
            return Some(defined.unwrap_or(at));
        }
        Some(at)
    }

    fn start<'a>(&self, from: &Module, path: &'a [String]) -> Option<(Module, &'a [String])> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some((Module::new(), rest)),
            "self" => Some((from.clone(), rest)),
            "super" => Some(ancestor(from, path)),
            child => {
                let below = [from.as_slice(), &[child.to_owned()]].concat();
                (!rest.is_empty() && self.modules.contains(&below)).then_some((below, rest))
            }
        }
    }
}

fn ancestor<'a>(from: &Module, path: &'a [String]) -> (Module, &'a [String]) {
    let n_up = path.iter().take_while(|part| *part == "super").count();
    (from[..from.len().saturating_sub(n_up)].to_vec(), &path[n_up..])
}

/// `backend/openapi.rs` is the module `backend::openapi`; `lib.rs` and `main.rs` are the root.
fn module_of(path: &str) -> Module {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    if matches!(stem, "lib" | "main") {
        return Module::new();
    }
    stem.split('/').map(str::to_owned).collect()
}

/// Whether an item exists in tests only: `#[test]`, or `#[cfg(…)]` that names `test` and no `not`.
fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if attribute.path().is_ident("test") {
            return true;
        }
        let Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string();
        let mut words = condition.split(|each: char| !each.is_alphanumeric() && each != '_');
        list.path.is_ident("cfg") && !condition.contains("not") && words.any(|word| word == "test")
    })
}

/// The paths `crate::…` and `super::…` in the text of a macro's arguments.
fn paths_in(tokens: &str) -> Vec<Vec<String>> {
    let apart: String = tokens
        .replace("::", " : ")
        .chars()
        .map(|each| {
            if each.is_alphanumeric() || "_: ".contains(each) {
                each.to_string()
            } else {
                format!(" {each} ")
            }
        })
        .collect();
    let words: Vec<_> = apart.split_whitespace().collect();
    let starts = (0..words.len()).filter(|&at| matches!(words[at], "crate" | "super"));
    starts.map(|at| words[at..].chunks(2).map_while(joined).collect()).collect()
}

/// A word that is followed by `::`, or ends a path.
fn joined(pair: &[&str]) -> Option<String> {
    let named = pair[0].chars().all(|each| each.is_alphanumeric() || each == '_');
    named.then(|| pair[0].to_owned())
}

impl Walk {
    fn refer(&mut self, path: Vec<String>, exported: bool) {
        self.references.push(Reference { from: self.at.clone(), path, exported });
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.at.push(module.ident.to_string());
        if for_tests(&module.attrs) {
            self.only_tests.insert(self.at.clone());
        } else if module.content.is_some() {
            self.modules.insert(self.at.clone());
            visit::visit_item_mod(self, module);
        }
        self.at.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if for_tests(&item.attrs) {
            return;
        }
        let exported = !matches!(item.vis, Visibility::Inherited);
        for (path, name) in imports(&item.tree) {
            self.imports.insert((self.at.clone(), name), path.clone());
            self.refer(path, exported);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    /// `pub(crate)` and `pub(in …)` name modules without using them.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.refer(names, false);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        for path in paths_in(&call.tokens.to_string()) {
            self.refer(path, false);
        }
        visit::visit_macro(self, call);
    }
}

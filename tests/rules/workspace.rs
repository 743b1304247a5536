//! Reads the repository: packages from `cargo metadata`, texts from the disk. Judges nothing. Works without a network:
//! `--no-deps` resolves nothing.

use crate::prelude::*;
use std::path::{Path, PathBuf};

/// A package of the workspace and what it names in its `Cargo.toml`.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// One line of a dependency section.
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The features that are asked for.
    pub(super) features: Vec<String>,
}

/// The section a dependency stands in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Build,
    Development,
    Normal,
}

/// A file of the repository; the path is relative to its root, with `/`.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

/// The repository's root.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the root")
}

/// The packages of this workspace.
pub(super) fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--no-deps"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    packages_in(&serde_json::from_slice(&output.stdout).expect("cargo answers JSON"))
}

/// The packages in an answer of `cargo metadata`.
pub(super) fn packages_in(metadata: &Value) -> Vec<Package> {
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(package).collect()
}

/// The Rust files below a folder of the repository.
pub(crate) fn rust_files(folder: &str) -> Vec<File> {
    let mut paths = Vec::new();
    collect(&root().join(folder), &mut paths);
    paths.sort();
    let rust = paths.iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    rust.map(|path| file(path)).collect()
}

/// Every file that is under version control and is text.
pub(super) fn tracked_files() -> Vec<File> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names are UTF-8");
    let paths = names.split_terminator('\0').map(|name| root().join(name));
    paths.filter(|path| fs::read_to_string(path).is_ok()).map(|path| file(&path)).collect()
}

/// The texts of every `fixtures/<api>/cases/<case>/<name>`.
pub(super) fn case_files(name: &str) -> Vec<File> {
    let mut paths = Vec::new();
    collect(&root().join("fixtures"), &mut paths);
    paths.sort();
    let wanted = paths.iter().filter(|path| path.file_name().is_some_and(|last| last == name));
    wanted.map(|path| file(path)).collect()
}

fn package(value: &Value) -> Package {
    let dependencies = value["dependencies"].as_array().expect("a list of dependencies");
    Package {
        name: text(&value["name"]),
        dependencies: dependencies
            .iter()
            .map(|each| Dependency {
                name: text(&each["name"]),
                kind: kind(&each["kind"]),
                features: features(&each["features"]),
            })
            .collect(),
    }
}

fn features(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn kind(value: &Value) -> Kind {
    match value.as_str() {
        Some("build") => Kind::Build,
        Some("dev") => Kind::Development,
        _ => Kind::Normal,
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, into);
        } else {
            into.push(path);
        }
    }
}

fn file(path: &Path) -> File {
    let relative = path.strip_prefix(root()).expect("a path below the root");
    File {
        path: relative.to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(path).expect("a readable text"),
    }
}

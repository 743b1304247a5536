//! Descriptions and test vectors of others, in a folder beside the repository or where `CALLGATE_SHARED` says. A test that
//! needs them checks nothing where they are absent, and says so.

use std::{
    env, fs,
    io::{Write, stderr},
    path::{Path, PathBuf},
};

/// A folder or a file of the corpus, if it is there.
pub fn corpus(name: &str) -> Option<PathBuf> {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into();
    let shared = env::var_os("CALLGATE_SHARED").map_or_else(beside, PathBuf::from);
    let found = Some(shared.join("corpus").join(name)).filter(|path| path.exists());
    if found.is_none() {
        say(&format!("corpus absent: {name}"));
    }
    found
}

/// The descriptions that the manifest of the corpus lists.
pub fn listed_descriptions() -> Vec<PathBuf> {
    let Some(manifest) = corpus("manifest.json") else { return Vec::new() };
    let rows: serde_json::Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| manifest.with_file_name(row["path"].as_str().unwrap())).collect()
}

/// The files of JSON and YAML below a folder, sorted.
pub fn descriptions(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { descriptions(&path) } else { vec![path] };
    let is_text = |path: &PathBuf| {
        path.extension().is_some_and(|end| ["json", "yaml", "yml"].iter().any(|e| end == *e))
    };
    paths.into_iter().flat_map(below).filter(is_text).collect()
}

/// Tells a line to whoever runs the tests.
#[expect(clippy::explicit_write, reason = "a printed line is hidden while its test passes")]
pub fn say(text: &str) {
    writeln!(stderr(), "{text}").unwrap();
}

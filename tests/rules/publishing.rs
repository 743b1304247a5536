//! The demands of the registry and its readers on each crate: a manifest that is complete, versions beside paths, and an oldest
//! Rust that the libraries below keep.

use super::workspace::root;
use crate::prelude::*;

/// The keys of each published manifest.
const SAID: &[&str] =
    &["categories", "description", "keywords", "license", "readme", "repository", "rust_version"];

/// All that cargo knows of the workspace, for this machine's platform, from what is on this machine.
fn metadata() -> Value {
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let rustc = String::from_utf8(rustc.stdout).expect("a text");
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo answers JSON")
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// Packages of this workspace that anybody may publish: they have no list of registries.
fn published(metadata: &Value) -> impl Iterator<Item = &Value> {
    packages(metadata).filter(|package| package["source"].is_null() && package["publish"].is_null())
}

/// The rule: what published manifests lack.
fn unsaid(metadata: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for package in published(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        let lacks =
            SAID.iter().filter(|key| package[**key].is_null() || package[**key] == json!([]));
        found.extend(lacks.map(|key| format!("`{name}` has no `{key}`")));
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let released = dependency["kind"] == "dev" || dependency["req"] != "*";
            if !released {
                found.push(format!("`{name}` names no version of {}", dependency["name"]));
            }
        }
    }
    found
}

/// The rule: libraries of the default graph that need a newer Rust than is promised. The engine `monty` is a feature that says so.
fn too_new(metadata: &Value) -> Vec<String> {
    let promised = published(metadata).filter_map(rust_version).min().unwrap_or_default();
    let newer = packages(metadata).filter(|package| rust_version(package) > Some(promised));
    let newer = newer.filter(|package| {
        let name = package["name"].as_str().unwrap_or_default();
        !["monty", "ruff_"].iter().any(|prefix| name.starts_with(prefix))
    });
    newer
        .map(|package| format!("{} needs Rust {}", package["name"], package["rust_version"]))
        .collect()
}

fn rust_version(package: &Value) -> Option<[u32; 3]> {
    let mut version = [0; 3];
    let parts = package["rust_version"].as_str()?.split('.');
    for (part, into) in parts.zip(&mut version) {
        *into = part.parse().ok()?;
    }
    Some(version)
}

#[test]
fn a_manifest_that_is_incomplete_is_refused() {
    let mut package = json!({"name": "a", "source": null, "publish": null, "dependencies": [
        {"name": "b", "req": "*", "kind": null}, {"name": "c", "req": "^1", "kind": null},
    ]});
    for key in SAID {
        package[*key] = json!("said");
    }
    package["keywords"] = json!([]);
    let own = json!({"name": "tests", "source": null, "publish": [], "dependencies": []});
    let metadata = json!({"packages": [package, own]});
    assert_eq!(unsaid(&metadata), ["`a` has no `keywords`", "`a` names no version of \"b\""]);
}

#[test]
fn a_library_that_needs_a_newer_rust_than_is_promised_is_refused() {
    let metadata = json!({"packages": [
        {"name": "ours", "source": null, "publish": null, "rust_version": "1.94.1"},
        {"name": "old", "source": "registry", "rust_version": "1.94"},
        {"name": "new", "source": "registry", "rust_version": "1.95"},
        {"name": "silent", "source": "registry", "rust_version": null},
    ]});
    assert_eq!(too_new(&metadata), ["\"new\" needs Rust \"1.95\""]);
}

#[test]
fn every_published_manifest_is_complete_and_keeps_its_promise_of_rust() {
    let metadata = metadata();
    assert!(published(&metadata).count() > 10);
    assert_eq!(unsaid(&metadata), [""; 0]);
    assert_eq!(too_new(&metadata), [""; 0]);
}

#[test]
fn no_published_source_includes_a_file_from_beside_its_crate() {
    for file in super::rust_files("crates") {
        let source = file.path.split('/').nth(2) == Some("src");
        let depth = file.path.matches('/').count() - 2;
        let outside = format!("include_str!(\"{}", "../".repeat(depth + 1));
        let outside = [outside.clone(), outside.replace("str", "bytes")];
        let bad = source && outside.iter().any(|outside| file.text.contains(outside));
        assert!(!bad, "{}: the package would lack what it includes", file.path);
    }
}

#[test]
fn every_crate_carries_its_licences() {
    for entry in fs::read_dir(root().join("crates")).expect("a folder") {
        let folder = entry.expect("an entry").path();
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = fs::read_to_string(folder.join(licence)).ok();
            let expected = fs::read_to_string(root().join(licence)).ok();
            assert!(!folder.is_dir() || own == expected, "{}", folder.display());
        }
    }
}

//! No crate changes a library for the whole program that embeds callgate. Features are unified: with
//! `arbitrary_precision` or `preserve_order`, other people's types that keep numbers inside of enums, or that rely on
//! sorted names, stop working (serde-rs/json issues 721 and 1108).

use crate::prelude::*;
use serde::Deserialize;

use super::workspace::{Package, packages, packages_in};

/// Libraries and the features that nobody may turn on, in tests neither: their builds are unified too.
const REFUSED: &[(&str, &[&str])] = &[
    ("jsonschema", &["arbitrary-precision"]),
    ("serde_json", &["arbitrary_precision", "preserve_order"]),
];

/// The rule: who turns on a feature that changes a library for others.
fn turned_on(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        for dependency in &package.dependencies {
            let refused = REFUSED.iter().filter(|(library, _)| *library == dependency.name);
            let refused = refused.flat_map(|(_, features)| *features);
            let bad = refused.filter(|refused| dependency.features.iter().any(|on| on == *refused));
            found.extend(bad.map(|bad| {
                format!("`{}` may not turn on `{bad}` of `{}`", package.name, dependency.name)
            }));
        }
    }
    found
}

#[track_caller]
fn check(library: &str, feature: &str, expected: &[&str]) {
    let dependencies = json!([{"name": library, "kind": "dev", "features": ["std", feature]}]);
    let metadata = json!({"packages": [{"name": "callgate-tool", "dependencies": dependencies}]});
    assert_eq!(turned_on(&packages_in(&metadata)), expected);
}

#[test]
fn a_feature_that_changes_a_library_for_others_is_refused() {
    check(
        "serde_json",
        "preserve_order",
        &["`callgate-tool` may not turn on `preserve_order` of `serde_json`"],
    );
    check("serde_json", "raw_value", &[]);
    check("other", "preserve_order", &[]);
}

#[test]
fn no_package_turns_on_a_feature_that_changes_a_library_for_others() {
    assert_eq!(turned_on(&packages()), [""; 0]);
}

#[derive(Debug, Deserialize, PartialEq)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    size: Size,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Size {
    weight: f64,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "kind")]
enum Tagged {
    Weight { value: f64 },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Untagged {
    Number(f64),
    Text(String),
}

/// Our dependencies' own features count too, and only a program that runs says how they were unified.
#[test]
fn serde_json_is_the_one_that_an_embedder_has() {
    let flattened: Flattened = serde_json::from_str(r#"{"name":"Rex","weight":31.5}"#).unwrap();
    assert_eq!(flattened, Flattened { name: "Rex".to_owned(), size: Size { weight: 31.5 } });
    let tagged: Tagged = serde_json::from_str(r#"{"value":1.5,"kind":"Weight"}"#).unwrap();
    assert_eq!(tagged, Tagged::Weight { value: 1.5 });
    let untagged: Vec<Untagged> = serde_json::from_str(r#"[1.5,"x"]"#).unwrap();
    assert_eq!(untagged, [Untagged::Number(1.5), Untagged::Text("x".to_owned())]);
    let sorted: Value = serde_json::from_str(r#"{"b":1.10,"a":2}"#).unwrap();
    assert_eq!(sorted.to_string(), r#"{"a":2,"b":1.1}"#);
}

//! The table of keys: each key of a toolset, of its `limits` and of its `tools` × each kind of toolset. A key is taken, or refused at
//! its place; the kinds that take it are listed in `toolset_words.txt`, so that a new key without a line fails.

use crate::prelude::*;

use serde_json::{Value as Json, json};

use crate::{remedies::tree, root};

/// Each kind with the least that makes a toolset of it, and the key of its source.
const KINDS: [(&str, &str); 9] = [
    // A toolset that has no source beside the key.
    ("-", "{}"),
    ("code_interpreter", "{code_interpreter: {engine: monty}}"),
    ("code_of_python", "{code_interpreter: {engine: python}}"),
    ("connection", "{connection: projects/p/locations/l/connections/crm}"),
    ("database", "{database: {url: 'env:SHOP'}, entities: {orders: {table: orders}}}"),
    ("documents", "{documents: {folder: '.'}}"),
    ("functions", "{functions: [{name: look}]}"),
    ("openapi", "{openapi: ../fixtures/pets/spec.yaml}"),
    ("vertex", "{vertex: {engine: projects/p/locations/eu/collections/c/engines/shop}}"),
];

/// The values that the examples give to a key at this place of a toolset.
fn examples(place: &str, key: &str) -> Vec<Json> {
    let mut values = Vec::new();
    for file in FULL.split_whitespace() {
        let example = tree(&fs::read_to_string(root().join(file)).unwrap()).unwrap();
        let toolsets = example["toolsets"].as_object().unwrap().values();
        let found = toolsets.filter_map(|toolset| toolset.pointer(&format!("{place}/{key}")));
        values.extend(found.cloned());
    }
    values
}

/// True if a toolset of a kind takes the key with one of the values.
fn takes(toolset: &str, place: &str, key: &str) -> bool {
    examples(place, key).into_iter().any(|value| {
        let mut toolset = tree(toolset).unwrap_or_else(|| panic!("{toolset}"));
        match place.strip_prefix('/') {
            Some(place) if toolset.get(place).is_none() => toolset[place] = json!({key: value}),
            Some(place) => toolset[place][key] = value,
            None => toolset[key] = value,
        }
        let whole = json!({"toolsets": {"it": toolset}}).to_string();
        let read = loader().text(whole, root().join("config"));
        read.is_ok()
    })
}

#[test]
fn each_kind_accepts_the_keys_that_the_table_lists() {
    let kinds = kinds();
    let mut lines = String::new();
    for (name, place) in [("a toolset", ""), ("`limits`", "/limits"), ("`tools`", "/tools")] {
        let tables = tables(&kinds);
        // The limits of the whole configuration have the same name, and come first.
        let table = tables.iter().rfind(|table| table.name == name).unwrap();
        for key in table.keys() {
            assert!(!examples(place, key.name).is_empty(), "an example of `{}`", key.name);
            let takers = KINDS.iter().filter(|(_, toolset)| takes(toolset, place, key.name));
            let takers: Vec<_> = takers.map(|(kind, _)| *kind).collect();
            assert!(!takers.is_empty(), "no kind takes `{}` of {name}", key.name);
            let place = format!("{place}/{}", key.name);
            lines.push_str(&format!("{place:<36}{}\n", takers.join(" ")));
        }
    }
    let table = include_str!("toolset_words.txt");
    assert!(lines == table, "the table is:\n{lines}");
}

//! Any bytes: read as a tree within small limits, and every node found again in its text. What JSON can say is read as
//! `serde_json` reads it, and a tree written as JSON is read as the same tree.

#![no_main]

use callgate_tool::Value;
use callgate_tree::{Limits, Node, nearest_positions, read};
use libfuzzer_sys::fuzz_target;

/// So many nodes of a tree are looked for in its text.
const LOOKED_FOR: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { nodes: 100_000, alias_bytes: 1 << 20, ..Limits::default() };
    let read_bytes = read(bytes, &limits);
    if let Err(diagnostics) = &read_bytes {
        assert!(!diagnostics.is_empty());
        for diagnostic in diagnostics {
            assert!(!diagnostic.message.is_empty());
            drop(nearest_positions(bytes, std::iter::once(&*diagnostic.pointer)));
        }
    }
    as_json(bytes, read_bytes.as_ref().ok().map(|parsed| &parsed.value));
    let Ok(parsed) = read_bytes else { return };
    let mut pointers = Vec::new();
    collect(&parsed.value, String::new(), &mut pointers);
    let found = nearest_positions(bytes, pointers.iter().map(String::as_str));
    assert_eq!(found.len(), pointers.len());
    let n_lines = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    for (pointer, position) in pointers.iter().zip(found) {
        let position = position.unwrap_or_else(|| panic!("no position of `{pointer}`"));
        assert!(position.line >= 1 && position.line <= n_lines, "{position:?} of `{pointer}`");
    }
    // In brackets, since a scalar alone is none of the JSON reader's business.
    let written = format!("[{}]", parsed.value.to_value());
    if written.len() <= limits.bytes {
        let again = read(written.as_bytes(), &Limits { depth: limits.depth + 1, ..limits });
        let again = again.expect("what was read can be written and read again").value;
        let value = Value::parse(&written).expect("what is written is JSON");
        assert!(again.to_value() == value, "{}", clipped(&written));
    }
});

/// Compares with `serde_json`, where the text is an object or a list for it.
fn as_json(bytes: &[u8], ours: Option<&Node>) {
    let Ok(theirs) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    if !theirs.is_object() && !theirs.is_array() {
        return;
    }
    match ours {
        Some(ours) => {
            assert!(ours.to_value().to_serde_json() == theirs, "{}", clipped(&theirs.to_string()))
        }
        // Deeper than our limit, or a number of more digits than it.
        None => assert!(bytes.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() > 100),
    }
}

/// The start of a text, for a message.
fn clipped(text: &str) -> String {
    text.chars().take(300).collect()
}

fn collect(node: &Node, pointer: String, into: &mut Vec<String>) {
    if into.len() >= LOOKED_FOR {
        return;
    }
    match node {
        Node::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{pointer}/{index}"), into);
            }
        }
        Node::Object(members) => {
            for (name, member) in members.iter() {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, format!("{pointer}/{name}"), into);
            }
        }
        _ => {}
    }
    into.push(pointer);
}

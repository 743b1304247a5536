//! Made values survive the way through text and tree, and JSON means the same when it is read as YAML.

use callgate_tool::{Object, Value};
use callgate_tree::{Limits, Node, read};
use proptest::prelude::*;

fn values() -> impl Strategy<Value = Value> {
    let numbers = "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?";
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        numbers.prop_map(|digits| serde_json::from_str(&digits).unwrap()),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaves.prop_recursive(5, 64, 8, |inner| {
        let members = prop::collection::vec(("[a-z/~<$ ]{0,4}", inner.clone()), 0..30);
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(Value::from),
            members.prop_map(|members| Value::Object(members.into_iter().collect::<Object>())),
        ]
    })
}

fn tree(text: &str) -> Node {
    let read = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(read.diagnostics, []);
    read.value
}

fn all<'a>(value: &'a Value, pointer: String, seen: &mut Vec<(String, &'a Value)>) {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                all(item, format!("{pointer}/{index}"), seen);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                all(member, format!("{pointer}/{}", escaped(name)), seen);
            }
        }
        _ => {}
    }
    seen.push((pointer, value));
}

proptest! {
    #[test]
    fn a_value_written_as_json_is_read_back(value in values()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            // A NUL in a text is escaped, and a scalar alone goes to the YAML reader.
            let text = format!("[{text}]");
            let read = tree(&text).to_value();
            prop_assert_eq!(read.get(0), Some(&value));
        }
    }

    #[test]
    fn every_node_is_at_its_pointer(value in values()) {
        let tree = tree(&format!("[{value}]"));
        let mut nodes = Vec::new();
        all(&value, "/0".to_owned(), &mut nodes);
        for (pointer, value) in nodes {
            let found = tree.at(&pointer).map(Node::to_value);
            prop_assert_eq!(found.as_ref(), Some(value));
        }
    }

    #[test]
    fn json_read_as_yaml_has_the_same_value(value in values()) {
        // YAML forbids some characters that JSON allows unescaped, and some escapes of JSON (surrogate pairs).
        let text = value.to_string();
        prop_assume!(text.bytes().all(|byte| (0x20..0x7F).contains(&byte)));
        let yaml = tree(&format!("--- [{text}]"));
        prop_assert_eq!(yaml, tree(&format!("[{text}]")));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-\\[\\]{}:,&*!|>'\"%@#?<~ab0.\n\t ]{0,60}") {
        drop(read(text.as_bytes(), &Limits::default()));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(read(&bytes, &Limits::default()));
    }
}

//! Each key of the configuration stands in a test, as a key: in a configuration that a test reads, or in settings that it makes. Whole
//! copies of all keys, which prove only that they are read, do not count.

use super::{
    test_code::is_file_of_tests,
    workspace::{File, root, tracked_files},
};
use crate::prelude::*;

/// The names of all keys in a schema.
fn key_names(schema: &Value, names: &mut BTreeSet<String>) {
    let members = schema.as_object();
    let properties = members.and_then(|members| members.get("properties")?.as_object());
    names.extend(properties.into_iter().flatten().map(|(name, _)| name.clone()));
    let below = members.into_iter().flatten().map(|(_, value)| value);
    let items = schema.as_array().into_iter().flatten();
    below.chain(items).for_each(|value| key_names(value, names));
}

/// The words of a text that a colon follows, in quotation marks or without: `rows: 7`, `"rows": 7`, `rows\\": 7`.
fn keys_in(text: &str) -> BTreeSet<&str> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let before_colons = text.match_indices(':').filter_map(|(at, _)| {
        let is_path = text.get(at..).is_some_and(|rest| rest.starts_with("::"));
        let before = text.get(..at)?.trim_end_matches(['"', '\'', '\\']);
        (!is_path).then_some(before)
    });
    let words = before_colons.filter_map(|before| {
        let start = before.rfind(|c| !is_of_word(c)).map_or(0, |at| at + 1);
        before.get(start..)
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// The part of a file that tests; `None` without one.
fn tests_in(file: &File) -> Option<&str> {
    let File { path, text } = file;
    if path.contains("/compatibility/") || path.ends_with("/toolset_words.txt") {
        return None;
    }
    if path.starts_with("tests/") || is_file_of_tests(path) || path.ends_with("/toolset.yaml") {
        return Some(text);
    }
    let at = if path.starts_with("crates/") { text.find("#[cfg(test)]") } else { None };
    at.and_then(|at| text.get(at..))
}

/// The rule: the keys that no test names.
fn untested_keys(schema: &Value, files: &[File]) -> Vec<String> {
    let mut names = BTreeSet::new();
    key_names(schema, &mut names);
    let tested: BTreeSet<&str> = files.iter().filter_map(tests_in).flat_map(keys_in).collect();
    names.retain(|name| !tested.contains(name.as_str()));
    names.into_iter().collect()
}

#[test]
fn a_key_that_no_test_names_is_found() {
    let schema = serde_json::json!({"$defs": {"a": {"properties": {
        "rows": {}, "bytes": {"items": [{"properties": {"depth": {}}}]}, "time": {}, "paths": {}}}}});
    let files = [
        File::new("crates/a/tests/b.rs", r#"check("{rows: 7, \"bytes\": 8}", paths::of("time"));"#),
        File::new("crates/a/src/b.rs", "depth: 7\n#[cfg(test)]\nmod tests { }"),
        File::new("tests/integration/compatibility/all.yaml", "time: 7"),
    ];
    assert_eq!(untested_keys(&schema, &files), ["depth", "paths", "time"]);
}

#[test]
fn no_key_of_the_schema_is_without_a_test() {
    let schema = fs::read(root().join("config/schema.json")).expect("the schema");
    let schema = serde_json::from_slice(&schema).expect("JSON");
    let untested = untested_keys(&schema, &tracked_files());
    assert!(untested.is_empty(), "keys without a test of what they do: {untested:?}");
}

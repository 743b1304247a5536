//! The key `synonyms`: further meanings of words in the search for tools.

use std::collections::BTreeMap;

use callgate_tree::Node;

use crate::reader::{Mapping, Reader, at, escaped};

/// Reads `synonyms:`.
pub(crate) fn read(reader: &mut Reader, root: Mapping<'_>) -> BTreeMap<String, Vec<String>> {
    let Some(node) = root.object.get("synonyms") else { return BTreeMap::new() };
    let (pointer, help) = (at(root, "synonyms"), "for example `{remove: [delete, erase]}`");
    let Some(words) = node.as_object() else {
        reader.expected(&pointer, "a mapping from words to lists of words", node, help);
        return BTreeMap::new();
    };
    let mut synonyms = BTreeMap::new();
    for (word, others) in words.iter() {
        let texts = others.as_array().map(|others| others.iter().map(Node::as_str));
        let texts: Option<Vec<&str>> = texts.and_then(Iterator::collect);
        let Some(texts) = texts else {
            reader.expected(
                &format!("{pointer}/{}", escaped(word)),
                "a list of words",
                others,
                help,
            );
            continue;
        };
        synonyms.insert(word.to_string(), texts.into_iter().map(str::to_owned).collect());
    }
    synonyms
}

#[cfg(test)]
mod tests {
    use crate::Config;

    #[test]
    fn synonyms_must_be_lists_of_words() {
        let read = |text: &str| {
            Config::from_text(format!("{text}\ntoolsets: {{pets: {{openapi: pets.yaml}}}}\n"), "")
        };
        let config = read("synonyms: {remove: [delete, erase]}").unwrap();
        assert_eq!(config.synonyms["remove"], ["delete", "erase"]);
        for wrong in ["synonyms: [a]", "synonyms: {a: b}", "synonyms: {a: [1]}"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

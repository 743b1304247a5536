//! The key `synonyms`: further meanings of words in the search for tools.

use std::collections::BTreeMap;

use callgate_settings::{Kind, forms, member_pointer};
use callgate_tree::Node;

forms! {
    struct Synonyms => BTreeMap<String, Vec<String>>, Kind::Map(&Words::KIND), |reader, mapping, key| {
        reader.named_values::<Words, _>(mapping, key, "a mapping from words to lists of words", HELP)
    };
    struct Words => Vec<String>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let node = mapping.object.get(key)?;
        let texts = node.as_array().map(|words| words.iter().map(Node::as_str));
        let texts: Option<Vec<&str>> = texts.and_then(Iterator::collect);
        if texts.is_none() {
            let help = "for example `[delete, erase]`";
            reader.report_wrong_type(&member_pointer(mapping, key), "a list of words", node, help);
        }
        Some(texts?.into_iter().map(str::to_owned).collect())
    };
}

const HELP: &str = "for example `{remove: [delete, erase]}`";

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

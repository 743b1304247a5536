//! Reads words of a closed set, and `true` and `false`.

use super::{Mapping, Reader, at};

impl Reader {
    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, mapping: Mapping<'_>, key: &str) -> Option<bool> {
        let node = mapping.object.get(key)?;
        let value = node.as_bool();
        if value.is_none() {
            let help = "leave it out for the default";
            self.expected_plain(&at(mapping, key), "true or false", node, help);
        }
        value
    }

    /// Reads one of the words, and returns its value.
    pub(crate) fn word<T: Copy>(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        words: &[(&str, T)],
        help: &str,
    ) -> Option<T> {
        let node = mapping.object.get(key)?;
        let found = words.iter().find(|(word, _)| node.as_str() == Some(word));
        if found.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let expected = match &*words {
                [words @ .., last] if !words.is_empty() => {
                    format!("{} or {last}", words.join(", "))
                }
                words => words.concat(),
            };
            self.expected_plain(&at(mapping, key), &expected, node, help);
        }
        found.map(|(_, value)| *value)
    }
}

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
    ) -> Option<T> {
        let text = self.string(mapping, key)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meant)| *meant);
        if found.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            let expected = format!("one of `{}`", words.join("`, `"));
            if let Some(node) = mapping.object.get(key) {
                let help = "leave it out for the default";
                self.expected_plain(&at(mapping, key), &expected, node, help);
            }
        }
        found
    }
}

//! The words of each document's name and title. A question in exactly these words means the document; and the larger the part
//! of a name that a question has, the less the document is about something more.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(crate) struct Titles {
    /// The documents of each set of words.
    exact: BTreeMap<Box<[u32]>, Vec<u32>>,
    /// The words of each document's name that do not only name a method of HTTP.
    names: Vec<Box<[u32]>>,
}

impl Titles {
    /// Adds the next document, with the words of its name and of its title; `methods` are words for methods of HTTP.
    pub(crate) fn add_document(&mut self, [name, title]: [Option<Box<[u32]>>; 2], methods: &[u32]) {
        let document = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let said = name.iter().flat_map(|words| words.iter().copied());
        self.names.push(said.filter(|word| !methods.contains(word)).collect());
        for words in [name, title].into_iter().flatten() {
            self.exact.entry(words).or_default().push(document);
        }
    }

    /// Raises each score by the part of the document's name that a question has. The question's words are in order.
    pub(crate) fn raise_by_name_match(&self, words: &[u32], scores: &mut [f32]) {
        for (name, score) in self.names.iter().zip(scores).filter(|(_, score)| **score > 0.0) {
            let n_asked = name.iter().filter(|word| words.binary_search(word).is_ok()).count();
            *score *= 1.0 + WHOLE_NAME * to_float(n_asked) / to_float(name.len().max(1));
        }
    }

    pub(crate) fn raise_exact_matches(&self, words: &[u32], scores: &mut [f32]) {
        let most = scores.iter().copied().fold(0.0, f32::max);
        for document in self.exact.get(words).into_iter().flatten() {
            let score = scores.get_mut(*document as usize);
            // A document that may not be found has no score.
            score.into_iter().filter(|score| **score > 0.0).for_each(|score| *score += most);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let exact = self.exact.iter().map(|(words, documents)| {
            size_of::<(Box<[u32]>, Vec<u32>)>()
                + size_of_val(&**words)
                + documents.capacity() * size_of::<u32>()
        });
        let names = self.names.iter().map(|words| size_of::<Box<[u32]>>() + size_of_val(&**words));
        exact.sum::<usize>() + names.sum::<usize>()
    }
}

/// The part of its score that a document gains when a question has its whole name.
const WHOLE_NAME: f32 = 0.5;

/// Names are short.
fn to_float(n: usize) -> f32 {
    f32::from(u16::try_from(n).unwrap_or(u16::MAX))
}

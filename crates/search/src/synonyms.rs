//! Words that stand for others in a question, set by the operator. There are none by default: on most labelled sets they
//! find no more, and on some less.

use std::collections::BTreeMap;

use crate::words::Stemmer;

/// Words and the further words that they may mean.
///
/// ```
/// use callgate_search::{Document, Index, Query, Synonyms};
/// use callgate_tool::Effect;
///
/// let index = Index::new([Document::new("deletePet", Effect::Idempotent)]);
/// let find = |index: &Index| index.find(Query::new("remove it"), |_| true).len();
/// assert_eq!(find(&index), 0);
/// let words = [("remove", vec!["delete".to_owned()])];
/// let index = index.with_synonyms(Synonyms::new(words.iter().map(|(word, others)| (*word, &**others))));
/// assert_eq!(find(&index), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Synonyms(BTreeMap<Box<str>, Vec<Box<str>>>);

impl Synonyms {
    /// Maps each word to the words that it may also mean. The reverse holds only if it is added too.
    pub fn new<'a>(words: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let (stemmer, mut synonyms) = (Stemmer::default(), BTreeMap::<_, Vec<_>>::new());
        for (word, others) in words {
            let others: Vec<_> = others.iter().flat_map(|other| stemmer.stems(other)).collect();
            for stem in stemmer.stems(word) {
                synonyms.entry(stem).or_default().extend(others.iter().cloned());
            }
        }
        Self(synonyms)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The stems that a stem may also mean.
    pub(crate) fn synonym_stems(&self, stem: &str) -> &[Box<str>] {
        self.0.get(stem).map(Vec::as_slice).unwrap_or_default()
    }
}

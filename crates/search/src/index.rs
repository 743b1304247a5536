//! The index of a catalog. `postings` scores documents by their words, `sources` by the things they need and produce.

use crate::{
    dependencies::{Need, Product},
    document::Document,
    postings::{Postings, Words},
    query::{Hit, Query, best},
    sources::Sources,
    synonyms::Synonyms,
    vocabulary::{Learner, Vocabulary},
};

/// Documents that can be found by their words.
#[derive(Debug, Default)]
pub struct Index {
    vocabulary: Vocabulary,
    postings: Postings,
    sources: Sources,
    n_documents: usize,
    synonyms: Synonyms,
}

impl Index {
    /// Indexes documents. The position of a document is its number in the index.
    pub fn new<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Self {
        let (mut learner, mut sources) = (Learner::default(), Sources::default());
        let read = |mut document: Document<'a>| {
            sources.add(&mut document);
            Words::read(&mut learner, &document)
        };
        let all: Vec<Words> = documents.into_iter().map(read).collect();
        sources.finish();
        let vocabulary = learner.finish();
        let postings = Postings::new(&all, vocabulary.len());
        let (n_documents, synonyms) = (all.len(), Synonyms::default());
        Self { vocabulary, postings, sources, n_documents, synonyms }
    }

    /// Adds synonyms, which widen the words of every question.
    #[must_use]
    pub fn with_synonyms(mut self, synonyms: Synonyms) -> Self {
        self.synonyms = synonyms;
        self
    }

    /// The best documents for a question among those that `admits` accepts. Sources of the things that matching documents
    /// need are found too.
    pub fn find(&self, query: Query<'_>, admits: impl Fn(usize) -> bool) -> Vec<Hit> {
        let mut scores = self.scores(query.text);
        for (document, score) in scores.iter_mut().enumerate() {
            if *score > 0.0 && !admits(document) {
                *score = 0.0;
            }
        }
        self.sources.spread(&mut scores, admits);
        best(&scores, query.limit)
    }

    /// The best documents by their words alone.
    pub fn find_words(&self, query: Query<'_>) -> Vec<Hit> {
        best(&self.scores(query.text), query.limit)
    }

    /// The things that a document needs and other documents return.
    pub fn needs(&self, document: usize) -> &[Need] {
        self.sources.needs(document)
    }

    /// The things that a document produces, the subject of its response first.
    pub fn products(&self, document: usize) -> &[Product] {
        self.sources.products(document)
    }

    /// The documents that return the needed thing, the simplest to call first.
    pub fn sources(&self, need: &Need) -> impl Iterator<Item = usize> {
        self.sources.of(&need.thing)
    }

    /// The size of the index in bytes.
    pub fn bytes(&self) -> usize {
        self.postings.bytes() + self.vocabulary.bytes() + self.sources.bytes()
    }

    fn scores(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.n_documents];
        for word in self.vocabulary.of(text, &self.synonyms) {
            self.postings.score(word, &mut scores);
        }
        scores
    }
}

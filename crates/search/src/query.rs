//! A question and its hits: first scored by words (BM25F), then joined by the sources of what they need.

/// A question.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Query<'a> {
    /// The purpose that a tool is wanted for.
    pub text: &'a str,
    /// The largest number of hits.
    pub limit: usize,
}

/// One document that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The document's number in the index.
    pub document: usize,
    /// The score: larger fits better. Only scores of one question can be compared.
    pub score: f32,
}

impl<'a> Query<'a> {
    /// The default limit.
    pub const LIMIT: usize = 10;

    /// A question for the ten best documents.
    pub fn new(text: &'a str) -> Self {
        Self { text, limit: Self::LIMIT }
    }

    /// Sets the largest number of hits.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// The documents with scores above zero, the best first; of equal scores, the first document comes first.
pub(crate) fn best(scores: &[f32], limit: usize) -> Vec<Hit> {
    let positive_scores = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
    let mut hits: Vec<Hit> =
        positive_scores.map(|(document, score)| Hit { document, score: *score }).collect();
    let order = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document));
    if limit < hits.len() {
        hits.select_nth_unstable_by(limit, order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}

//! A question and what is found for it: the score of words (BM25F), then the sources of what is found.

/// A question.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Query<'a> {
    /// The purpose a tool is wanted for.
    pub text: &'a str,
    /// The most that is found.
    pub limit: usize,
}

/// One document that is found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a hit is a document and its score")]
pub struct Hit {
    /// Its position among the documents.
    pub document: usize,
    /// The score: larger fits better. Scores of one answer can be compared with each other.
    pub score: f32,
}

impl<'a> Query<'a> {
    /// Unless told otherwise, so many are found.
    pub const LIMIT: usize = 10;

    /// Asks for the ten best.
    pub fn new(text: &'a str) -> Self {
        Self { text, limit: Self::LIMIT }
    }

    /// Asks for the best, at most so many.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// The best of these scores, those above zero: the best first, of equal ones the first document.
pub(crate) fn best(scores: &[f32], limit: usize) -> Vec<Hit> {
    let found = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
    let mut hits: Vec<Hit> =
        found.map(|(document, score)| Hit { document, score: *score }).collect();
    let order = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document));
    if limit < hits.len() {
        hits.select_nth_unstable_by(limit, order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}

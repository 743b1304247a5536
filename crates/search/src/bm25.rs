//! The formula that ranks (BM25), without the lists of words that it is applied to.

/// The score of a word with this weight in a document: repetitions count less and less.
pub(crate) fn saturated_score(weight: f32) -> f32 {
    weight * (SATURATION + 1.0) / (weight + SATURATION)
}

/// The weight of a word's rarity (the idf of BM25); never below zero.
pub(crate) fn rarity_weight(n_with: f32, n_all: f32) -> f32 {
    ((n_all - n_with + 0.5) / (n_with + 0.5)).ln_1p()
}

#[expect(clippy::cast_precision_loss, reason = "a score need not tell 2^24 words from one more")]
pub(crate) fn to_float(n: usize) -> f32 {
    n as f32
}

/// The saturation of repeated words: the usual k1.
const SATURATION: f32 = 1.2;

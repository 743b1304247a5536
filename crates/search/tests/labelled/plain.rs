//! BM25 as it stands in the books, over the whole text of a tool as one field: k1 1.2, b 0.75, words in lower case.

use std::collections::BTreeMap;

/// Texts that are found by their words.
#[derive(Debug)]
pub(crate) struct Plain {
    texts: Vec<BTreeMap<String, f64>>,
    n_with: BTreeMap<String, f64>,
    average: f64,
}

impl Plain {
    /// Indexes texts.
    pub(crate) fn new(texts: impl Iterator<Item = String>) -> Self {
        let mut n_with = BTreeMap::new();
        let texts: Vec<BTreeMap<String, f64>> = texts.map(|text| counted(&text)).collect();
        for word in texts.iter().flat_map(BTreeMap::keys) {
            *n_with.entry(word.clone()).or_insert(0.0) += 1.0;
        }
        let all: f64 = texts.iter().flat_map(BTreeMap::values).sum();
        let average = all / f64::from(u32::try_from(texts.len()).unwrap());
        Self { texts, n_with, average }
    }

    /// The ten best texts for a question.
    pub(crate) fn find(&self, question: &str) -> Vec<usize> {
        let words: Vec<String> = words(question).collect();
        let mut scored: Vec<(f64, usize)> = self
            .texts
            .iter()
            .enumerate()
            .map(|(at, text)| (self.score(text, &words), at))
            .collect();
        scored.retain(|(score, _)| *score > 0.0);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().take(10).map(|(_, at)| at).collect()
    }

    fn score(&self, text: &BTreeMap<String, f64>, words: &[String]) -> f64 {
        let n = f64::from(u32::try_from(self.texts.len()).unwrap());
        let length = text.values().sum::<f64>() / self.average;
        let scores = words.iter().map(|word| {
            let (Some(count), Some(with)) = (text.get(word), self.n_with.get(word)) else {
                return 0.0;
            };
            let rarity = ((n - with + 0.5) / (with + 0.5)).ln_1p();
            rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
        });
        scores.sum()
    }
}

fn counted(text: &str) -> BTreeMap<String, f64> {
    let mut counted = BTreeMap::new();
    words(text).for_each(|word| *counted.entry(word).or_insert(0.0) += 1.0);
    counted
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

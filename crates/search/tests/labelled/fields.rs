//! BM25F as it stands in the books, over the fields of a tool: k1 1.2, b 0.6 for every field, words in lower case.

use std::collections::BTreeMap;

use callgate_search::Document;

type Counts = BTreeMap<String, f64>;

/// Tools that are found by the words of their fields.
#[derive(Debug)]
pub(crate) struct Fields {
    /// The tools that have a word, each with the word's weight there.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    n: f64,
}

/// Adds counts with a weight.
fn add(weights: &mut Counts, counts: &Counts, weight: f64) {
    for (word, count) in counts {
        *weights.entry(word.clone()).or_default() += weight * count;
    }
}

impl Fields {
    /// Indexes tools.
    pub(crate) fn new(documents: &[Document<'_>]) -> Self {
        let all: Vec<[Counts; 6]> = documents.iter().map(counted).collect();
        let n = f64::from(u32::try_from(all.len()).unwrap());
        let length = |counts: &Counts| counts.values().sum::<f64>();
        let averages: Vec<f64> = (0..6)
            .map(|field| all.iter().map(|fields| length(&fields[field])).sum::<f64>() / n)
            .collect();
        let mut postings = BTreeMap::<String, Vec<(usize, f64)>>::new();
        for (at, fields) in all.iter().enumerate() {
            let mut weights = Counts::new();
            for ((counts, weight), average) in fields.iter().zip(WEIGHTS).zip(&averages) {
                let long = 0.4 + 0.6 * length(counts) / average;
                add(&mut weights, counts, weight / long);
            }
            for (word, weight) in weights {
                postings.entry(word).or_default().push((at, weight));
            }
        }
        Self { postings, n }
    }

    /// The ten best tools for a question.
    pub(crate) fn find(&self, question: &str) -> Vec<usize> {
        let mut scores = BTreeMap::<usize, f64>::new();
        for word in words(question) {
            let row = self.postings.get(&word).map(Vec::as_slice).unwrap_or_default();
            let with = f64::from(u32::try_from(row.len()).unwrap());
            let rarity = ((self.n - with + 0.5) / (with + 0.5)).ln_1p();
            for (at, weight) in row {
                *scores.entry(*at).or_default() += rarity * weight * 2.2 / (weight + 1.2);
            }
        }
        let mut scored: Vec<(usize, f64)> = scores.into_iter().collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.into_iter().take(10).map(|(at, _)| at).collect()
    }
}

fn counted(document: &Document<'_>) -> [Counts; 6] {
    let parameters = || document.parameters.iter();
    let texts: [Vec<&str>; 6] = [
        vec![document.name],
        vec![document.summary],
        document.tags.clone(),
        vec![document.description],
        parameters().map(|one| one.name).collect(),
        parameters().map(|one| one.description).collect(),
    ];
    texts.map(|texts| {
        let mut counts = Counts::new();
        for word in texts.into_iter().flat_map(words) {
            *counts.entry(word).or_default() += 1.0;
        }
        counts
    })
}

/// Words in lower case; `camelCase` is two.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut apart = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && was_lower {
            apart.push(' ');
        }
        was_lower = c.is_lowercase();
        apart.extend(c.to_lowercase());
    }
    let words = apart.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// The weights of name, summary, tags, description, names of parameters and their descriptions.
const WEIGHTS: [f64; 6] = [3.0, 2.5, 1.5, 1.0, 0.7, 0.3];

//! BM25 as it stands in the books (k1 1.2), words in lower case: over the whole text of a tool as one field, and over each field
//! with a weight of its own (BM25F).

use std::collections::BTreeMap;

use callgate_search::Document;

type Counts = BTreeMap<String, f64>;

/// Tools that are found by their words.
#[derive(Debug)]
pub(crate) struct Bm25 {
    /// The tools that have a word, each with the word's weight there.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    n: f64,
    split: fn(&str) -> String,
}

impl Bm25 {
    /// Indexes whole texts.
    pub(crate) fn of_texts(texts: impl Iterator<Item = String>) -> Self {
        let all: Vec<_> = texts.map(|text| [counted(&[&text], str::to_owned)]).collect();
        Self::new(&all, [1.0], 0.75, str::to_owned)
    }

    /// Indexes tools by their name, summary, tags, description, names of parameters and their descriptions.
    pub(crate) fn of_fields(documents: &[Document<'_>]) -> Self {
        let all: Vec<_> = documents.iter().map(fields).collect();
        Self::new(&all, [3.0, 2.5, 1.5, 1.0, 0.7, 0.3], 0.6, apart)
    }

    fn new<const N: usize>(
        all: &[[Counts; N]],
        weights: [f64; N],
        b: f64,
        split: fn(&str) -> String,
    ) -> Self {
        let n = f64::from(u32::try_from(all.len()).unwrap());
        let length = |counts: &Counts| counts.values().sum::<f64>();
        let average = |field| all.iter().map(|fields| length(&fields[field])).sum::<f64>() / n;
        let averages: [f64; N] = std::array::from_fn(average);
        let mut postings = BTreeMap::<String, Vec<(usize, f64)>>::new();
        for (at, fields) in all.iter().enumerate() {
            let mut found = Counts::new();
            for ((counts, weight), average) in fields.iter().zip(weights).zip(averages) {
                let long = 1.0 - b + b * length(counts) / average;
                let weighted = counts.iter().map(|(word, count)| (word, weight / long * count));
                weighted.for_each(|(word, more)| *found.entry(word.clone()).or_default() += more);
            }
            for (word, weight) in found {
                postings.entry(word).or_default().push((at, weight));
            }
        }
        Self { postings, n, split }
    }

    /// The ten best tools for a question.
    pub(crate) fn find(&self, question: &str) -> Vec<usize> {
        let mut scores = BTreeMap::<usize, f64>::new();
        for word in words(&(self.split)(question)) {
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

fn fields(document: &Document<'_>) -> [Counts; 6] {
    let parameters = || document.parameters.iter();
    let texts: [Vec<&str>; 6] = [
        vec![document.name],
        vec![&document.summary],
        document.tags.clone(),
        vec![&document.description],
        parameters().map(|one| one.name).collect(),
        parameters().map(|one| &*one.description).collect(),
    ];
    texts.map(|texts| counted(&texts, apart))
}

fn counted(texts: &[&str], split: fn(&str) -> String) -> Counts {
    let mut counts = Counts::new();
    for word in texts.iter().flat_map(|text| words(&split(text))) {
        *counts.entry(word).or_default() += 1.0;
    }
    counts
}

/// The text with a space between the words of `camelCase`.
fn apart(text: &str) -> String {
    let mut apart = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && was_lower {
            apart.push(' ');
        }
        was_lower = c.is_lowercase();
        apart.push(c);
    }
    apart
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

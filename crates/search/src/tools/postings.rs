//! Lists, for each word, the documents that have it and its score in each (BM25F). Fields are weighted before the frequency
//! of a word is saturated, each with its own length (Zaragoza et al., TREC 2004; Robertson and Zaragoza 2009, §3.6): a word
//! in both name and summary counts as one more frequent word, not as two.

use std::mem;

use super::document::Document;
use crate::{
    bm25::{rarity_weight, saturated_score, to_float},
    vocabulary::Learner,
};

#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// The places where the postings of each word begin, and the end of the last word's.
    begins: Box<[usize]>,
    all: Box<[Posting]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    document: u32,
    score: f32,
}

/// The words of one document, field after field, and where each field ends.
#[derive(Debug)]
pub(crate) struct Words {
    numbers: Vec<u32>,
    ends: [usize; N_FIELDS],
}

impl Words {
    /// Reads the words of a document, field by field in the order of [`WEIGHTS`].
    pub(crate) fn read_document(learner: &mut Learner, document: &Document<'_>) -> Self {
        let mut words = Self { numbers: Vec::new(), ends: [0; N_FIELDS] };
        let parameters = || document.parameters.iter().take(MOST_PARAMETERS);
        let fields: [&mut dyn Iterator<Item = &str>; N_FIELDS] = [
            &mut [document.name].into_iter(),
            &mut [&*document.summary].into_iter(),
            &mut [&*document.description].into_iter(),
            &mut document.tags.iter().copied().take(MOST_PARAMETERS),
            &mut [document.path].into_iter(),
            &mut parameters().map(|parameter| parameter.name),
            &mut parameters().map(|parameter| &*parameter.description),
        ];
        for (field, end) in fields.into_iter().zip(&mut words.ends) {
            field.for_each(|text| learner.read_words(text, &mut words.numbers));
            *end = words.numbers.len();
        }
        words
    }

    fn field_words(&self) -> impl Iterator<Item = &[u32]> {
        let begins = [0].into_iter().chain(self.ends);
        begins.zip(self.ends).map(|(from, to)| self.numbers.get(from..to).unwrap_or_default())
    }

    /// Adds the weight of each word in this document to `weights`.
    fn add_weights(&self, averages: &[f32; N_FIELDS], weights: &mut [f32]) {
        let fields = self.field_words().zip(WEIGHTS).zip(LENGTHS).zip(averages);
        for (((field, weight), length), average) in fields {
            let weight = weight / (1.0 - length + length * to_float(field.len()) / average);
            for word in field {
                weights
                    .get_mut(*word as usize)
                    .into_iter()
                    .for_each(|word_weight| *word_weight += weight);
            }
        }
    }

    /// Adds a posting of each word of this document to the word's row. Resets the weights.
    fn add_postings(&self, document: u32, weights: &mut [f32], rows: &mut [Vec<Posting>]) {
        for word in self.numbers.iter().map(|word| *word as usize) {
            // The first of several occurrences takes the whole weight.
            let weight = weights.get_mut(word).map(mem::take).unwrap_or_default();
            if let Some(row) = rows.get_mut(word).filter(|_| weight > 0.0) {
                row.push(Posting { document, score: saturated_score(weight) });
            }
        }
    }
}

impl Postings {
    /// The postings of documents that have `n_words` different words.
    pub(crate) fn new(documents: &[Words], n_words: usize) -> Self {
        let averages = average_lengths(documents);
        let mut rows: Vec<Vec<Posting>> = vec![Vec::new(); n_words];
        let mut weights = vec![0.0_f32; n_words];
        for (document, words) in (0..).zip(documents) {
            words.add_weights(&averages, &mut weights);
            words.add_postings(document, &mut weights, &mut rows);
        }
        Self::from_rows(&rows, documents.len())
    }

    /// Joins the rows, with each score multiplied by the rarity of its word.
    fn from_rows(rows: &[Vec<Posting>], n_documents: usize) -> Self {
        let mut begins = Vec::with_capacity(rows.len() + 1);
        let mut all = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        begins.push(0);
        for row in rows {
            let rarity = rarity_weight(to_float(row.len()), to_float(n_documents));
            let scored = |posting: &Posting| Posting { score: posting.score * rarity, ..*posting };
            all.extend(row.iter().map(scored));
            begins.push(all.len());
        }
        Self { begins: begins.into(), all: all.into() }
    }

    pub(crate) fn add_scores(&self, word: u32, scores: &mut [f32]) {
        let word = word as usize;
        let bounds = self.begins.get(word).zip(self.begins.get(word + 1));
        let postings = bounds.and_then(|(from, to)| self.all.get(*from..*to));
        for posting in postings.unwrap_or_default() {
            if let Some(score) = scores.get_mut(posting.document as usize) {
                *score += posting.score;
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.begins) + size_of_val(&*self.all)
    }
}

/// The average number of words in each field; never zero.
fn average_lengths(documents: &[Words]) -> [f32; N_FIELDS] {
    let mut sums = [0_usize; N_FIELDS];
    for words in documents {
        for (sum, field) in sums.iter_mut().zip(words.field_words()) {
            *sum += field.len();
        }
    }
    sums.map(|sum| (to_float(sum) / to_float(documents.len().max(1))).max(f32::MIN_POSITIVE))
}

/// The weights of fields: name, summary, description, tags, path, names of parameters, their descriptions. Names and titles
/// count more than prose, and tags name the service; descriptions of parameters are often alike in all tools (`limit`, `offset`).
const WEIGHTS: [f32; N_FIELDS] = [3.0, 2.0, 1.0, 2.0, 4.0, 1.0, 0.3];
/// The penalty for long fields, of each field. A name with more words is about something more, but a text is longer when there
/// is more to say.
const LENGTHS: [f32; N_FIELDS] = [0.9, 0.9, 0.6, 0.9, 0.9, 0.6, 0.6];
const N_FIELDS: usize = 7;
/// The most arguments and tags of one tool that are indexed; real tools have fewer.
const MOST_PARAMETERS: usize = 500;

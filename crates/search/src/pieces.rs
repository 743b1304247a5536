//! An index of pieces of text that changes: pieces are added and removed one by one, and those that stay keep their numbers until
//! [`PieceIndex::compact`]. It keeps no text: the caller reads what it shows. A title (the document's, and the headings above a
//! piece) and the text itself are two fields of BM25F.

mod entry;
mod top;

use std::mem;

use entry::Posting;

use crate::{
    bm25::{float, rarity, saturated},
    query::Hit,
    synonyms::Synonyms,
    vocabulary::Learner,
};

/// Pieces of text that can be found by their words.
///
/// ```
/// use callgate_search::PieceIndex;
///
/// let mut index = PieceIndex::default();
/// let pets = index.add("Pets", "Feeding cats and dogs");
/// let cars = index.add("Cars", "Washing a car");
/// index.settle();
/// let found = |index: &PieceIndex| index.find("feed a cat", 10, |_| true).len();
/// assert_eq!((pets, cars, found(&index)), (Some(0), Some(1), 1));
/// index.remove(0);
/// assert_eq!(found(&index), 0);
/// ```
#[derive(Debug, Default)]
pub struct PieceIndex {
    words: Learner,
    /// The postings of each word, in the order of the pieces.
    rows: Vec<Vec<Posting>>,
    pieces: Vec<Piece>,
    n_removed: usize,
    scratch: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    /// The numbers of words in the title and in the text.
    lengths: [u16; N_FIELDS],
    factors: [f32; N_FIELDS],
    is_removed: bool,
}

impl PieceIndex {
    /// The most pieces that an index has.
    pub const MOST_PIECES: usize = Posting::MOST_PIECES;

    /// Adds a piece, and returns its number; `None` if the index is full. [`PieceIndex::settle`] follows after the last piece.
    pub fn add(&mut self, title: &str, text: &str) -> Option<usize> {
        let number = self.pieces.len();
        if number >= Self::MOST_PIECES {
            return None;
        }
        let mut words = mem::take(&mut self.scratch);
        words.clear();
        self.words.read(title, &mut words);
        let n_title = words.len();
        self.words.read(text, &mut words);
        let lengths = [n_title, words.len() - n_title].map(short);
        self.post(number, &mut words, n_title);
        self.scratch = words;
        self.pieces.push(Piece { lengths, ..Piece::default() });
        Some(number)
    }

    /// Adds the postings of a piece, whose title is the first `n_title` words.
    fn post(&mut self, number: usize, words: &mut [u32], n_title: usize) {
        let (title, text) = words.split_at_mut(n_title.min(words.len()));
        title.sort_unstable();
        text.sort_unstable();
        for words in text.chunk_by(|a, b| a == b) {
            let Some(word) = words.first() else { continue };
            let in_title = count(title, *word);
            self.push(*word, Posting::new(number, in_title, words.len()));
        }
        for words in title.chunk_by(|a, b| a == b) {
            let Some(word) = words.first().filter(|word| text.binary_search(word).is_err()) else {
                continue;
            };
            self.push(*word, Posting::new(number, words.len(), 0));
        }
    }

    fn push(&mut self, word: u32, posting: Posting) {
        let word = word as usize;
        if word >= self.rows.len() {
            self.rows.resize_with(word + 1, Vec::new);
        }
        self.rows.get_mut(word).into_iter().for_each(|row| row.push(posting));
    }

    /// Removes a piece: it is not found any more.
    pub fn remove(&mut self, number: usize) {
        let Some(piece) = self.pieces.get_mut(number).filter(|piece| !piece.is_removed) else {
            return;
        };
        piece.is_removed = true;
        self.n_removed += 1;
    }

    /// Weighs all pieces by the average length of those that are there. It ends every change.
    pub fn settle(&mut self) {
        let n_pieces = float(self.len().max(1));
        let mut sums = [0_usize; N_FIELDS];
        for piece in self.pieces.iter().filter(|piece| !piece.is_removed) {
            for (sum, length) in sums.iter_mut().zip(piece.lengths) {
                *sum += usize::from(length);
            }
        }
        let averages = sums.map(|sum| (float(sum) / n_pieces).max(f32::MIN_POSITIVE));
        for piece in &mut self.pieces {
            let fields = piece.factors.iter_mut().zip(piece.lengths).zip(averages);
            for (((factor, length), average), (weight, penalty)) in fields.zip(FIELDS) {
                *factor = weight / (1.0 - penalty + penalty * f32::from(length) / average);
            }
        }
        self.words.forget_spellings();
    }

    /// The number of pieces that can be found.
    pub fn len(&self) -> usize {
        self.pieces.len() - self.n_removed
    }

    /// True if no piece can be found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if so many pieces were removed that [`PieceIndex::compact`] is worth its time.
    pub fn is_sparse(&self) -> bool {
        self.n_removed > LEAST_REMOVED.max(self.pieces.len() / 4)
    }

    /// Frees the memory of removed pieces. The pieces that stay are numbered anew, in their order.
    pub fn compact(&mut self) {
        let mut next = 0;
        let renumber = |piece: &Piece| {
            let number = (!piece.is_removed).then_some(next);
            next += usize::from(number.is_some());
            number
        };
        let numbers: Vec<Option<usize>> = self.pieces.iter().map(renumber).collect();
        let renumbered = |posting: &Posting| {
            let number = numbers.get(posting.piece()).copied().flatten();
            number.map(|number| posting.of(number))
        };
        for row in &mut self.rows {
            *row = row.iter().filter_map(renumbered).collect();
        }
        self.pieces.retain(|piece| !piece.is_removed);
        self.pieces.shrink_to_fit();
        self.n_removed = 0;
    }

    /// The best pieces for a question among those that `admits` accepts, the best first.
    pub fn find(&self, question: &str, limit: usize, admits: impl Fn(usize) -> bool) -> Vec<Hit> {
        let mut scores = vec![0.0_f32; self.pieces.len()];
        for word in self.words.vocabulary().of(question, &Synonyms::default()) {
            self.score(word, &mut scores);
        }
        let is_there =
            |number: usize| self.pieces.get(number).is_some_and(|piece| !piece.is_removed);
        top::best(&scores, limit, |number| is_there(number) && admits(number))
    }

    fn score(&self, word: u32, scores: &mut [f32]) {
        let Some(row) = self.rows.get(word as usize) else { return };
        let rarity = rarity(float(row.len()), float(self.pieces.len()));
        for posting in row {
            let number = posting.piece();
            if let Some((score, piece)) = scores.get_mut(number).zip(self.pieces.get(number)) {
                let [title, text] = piece.factors;
                let weight = posting.in_title() * title + posting.in_text() * text;
                *score += rarity * saturated(weight);
            }
        }
    }

    /// The size of the index in bytes.
    pub fn bytes(&self) -> usize {
        let rows = self.rows.capacity() * size_of::<Vec<Posting>>();
        let postings: usize = self.rows.iter().map(Vec::capacity).sum();
        let pieces = self.pieces.capacity() * size_of::<Piece>();
        rows + postings * size_of::<Posting>() + pieces + self.words.vocabulary().bytes()
    }

    /// Frees memory that was reserved for further pieces.
    pub fn shrink(&mut self) {
        self.rows.iter_mut().for_each(Vec::shrink_to_fit);
        self.rows.shrink_to_fit();
        self.pieces.shrink_to_fit();
    }
}

fn count(sorted: &[u32], word: u32) -> usize {
    let from = sorted.partition_point(|other| *other < word);
    sorted.iter().skip(from).take_while(|other| **other == word).count()
}

/// The number, or the largest one that a piece's length may have.
fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

const N_FIELDS: usize = 2;
/// The weight of each field, and its penalty for length: title, text.
const FIELDS: [(f32, f32); N_FIELDS] = [(1.5, 0.9), (1.0, 0.7)];
/// The least number of removed pieces that are worth the time of a compaction.
const LEAST_REMOVED: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn index(pieces: &[(&str, &str)]) -> PieceIndex {
        let mut index = PieceIndex::default();
        for (title, text) in pieces {
            index.add(title, text).expect("there is space");
        }
        index.settle();
        index
    }

    #[track_caller]
    fn check(index: &PieceIndex, question: &str, expected: &[usize]) {
        let hits = index.find(question, 10, |_| true);
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_word_of_the_title_is_found_too() {
        let index = index(&[("Backups", "Copy the file"), ("Other", "A backup of a file")]);
        check(&index, "backup", &[0, 1]);
        check(&index, "files", &[0, 1]);
        check(&index, "copying", &[0]);
    }

    #[test]
    fn a_removed_piece_is_not_found_and_the_others_keep_their_numbers() {
        let mut index = index(&[("", "a cat"), ("", "a cat and a cat"), ("", "a dog")]);
        index.remove(1);
        index.remove(1);
        index.remove(7);
        index.settle();
        assert_eq!(index.len(), 2);
        check(&index, "cat", &[0]);
        check(&index, "dog", &[2]);
        index.compact();
        check(&index, "cat", &[0]);
        check(&index, "dog", &[1]);
        assert_eq!(index.add("", "a horse"), Some(2));
    }

    #[test]
    fn a_piece_that_is_not_admitted_takes_the_rank_of_no_other() {
        let index = index(&[("", "cat cat"), ("", "cat"), ("", "cat")]);
        let hits = index.find("cat", 1, |number| number > 0);
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), [1]);
    }
}

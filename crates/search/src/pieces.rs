//! An index of pieces of text that changes: pieces are added and removed one by one, and those that stay keep their numbers until
//! [`PieceIndex::compact`]. It keeps no text: the caller reads what it shows. A title (the document's, and the headings above a
//! piece) and the text itself are two fields of BM25F.

mod chains;
mod entry;
mod reader;
mod top;

use std::{
    ops::Range,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

use chains::Chains;
use entry::Posting;
pub use reader::{PieceReader, PieceWords};

use crate::{
    bm25::{rarity_weight, saturated_score, to_float},
    query::Hit,
    vocabulary::Vocabulary,
};

/// Pieces of text that can be found by their words.
///
/// ```
/// use callgate_search::{PieceIndex, PieceWords};
///
/// let mut index = PieceIndex::default();
/// let (mut reader, mut words) = (index.piece_tokenizer(), PieceWords::default());
/// reader.read("Pets", "Feeding cats and dogs", &mut words);
/// reader.read("Cars", "Washing a car", &mut words);
/// let numbers = index.append(&words);
/// index.update_length_weights();
/// let found = |index: &PieceIndex| index.find("feed a cat", 10, |_| true).len();
/// assert_eq!((numbers, found(&index)), (0..2, 1));
/// index.remove(0);
/// assert_eq!(found(&index), 0);
/// ```
#[derive(Debug, Default)]
pub struct PieceIndex {
    /// The words of all readers of this index.
    vocabulary: Arc<RwLock<Vocabulary>>,
    chains: Chains,
    pieces: Vec<Piece>,
    n_removed: usize,
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

    /// A reader that cuts pieces of this index into words.
    pub fn piece_tokenizer(&self) -> PieceReader {
        PieceReader::new(Arc::clone(&self.vocabulary))
    }

    /// Adds pieces that a reader of this index has read, and returns their numbers: fewer than there are pieces if the index is full.
    /// [`PieceIndex::update_length_weights`] follows after the last piece.
    pub fn append(&mut self, pieces: &PieceWords) -> Range<usize> {
        let first = self.pieces.len();
        for (lengths, words) in pieces.lengths_and_words() {
            let number = self.pieces.len();
            if number >= Self::MOST_PIECES || self.chains.is_full() {
                break;
            }
            for word in words {
                let [in_title, in_text] = word.n;
                self.chains.push(word.word, Posting::new(number, in_title, in_text));
            }
            self.pieces.push(Piece { lengths, ..Piece::default() });
        }
        first..self.pieces.len()
    }

    fn vocabulary(&self) -> RwLockReadGuard<'_, Vocabulary> {
        self.vocabulary.read().unwrap_or_else(PoisonError::into_inner)
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
    pub fn update_length_weights(&mut self) {
        let n_pieces = to_float(self.len().max(1));
        let mut sums = [0_usize; N_FIELDS];
        for piece in self.pieces.iter().filter(|piece| !piece.is_removed) {
            for (sum, length) in sums.iter_mut().zip(piece.lengths) {
                *sum += usize::from(length);
            }
        }
        let averages = sums.map(|sum| (to_float(sum) / n_pieces).max(f32::MIN_POSITIVE));
        for piece in &mut self.pieces {
            let fields = piece.factors.iter_mut().zip(piece.lengths).zip(averages);
            for (((factor, length), average), (weight, penalty)) in fields.zip(FIELDS) {
                *factor = weight / (1.0 - penalty + penalty * f32::from(length) / average);
            }
        }
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
    pub fn needs_compaction(&self) -> bool {
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
        let renumbered = |posting: Posting| {
            let number = numbers.get(posting.piece()).copied().flatten();
            number.map(|number| posting.with_piece(number))
        };
        self.chains = self.chains.mapped_chains(renumbered);
        self.pieces.retain(|piece| !piece.is_removed);
        self.pieces.shrink_to_fit();
        self.n_removed = 0;
    }

    /// The best pieces for a question among those that `admits` accepts, the best first.
    pub fn find(&self, question: &str, limit: usize, admits: impl Fn(usize) -> bool) -> Vec<Hit> {
        let mut scores = vec![0.0_f32; self.pieces.len()];
        for (word, n_times) in self.vocabulary().word_counts(question) {
            self.add_scores(word, to_float(n_times), &mut scores);
        }
        let is_there =
            |number: usize| self.pieces.get(number).is_some_and(|piece| !piece.is_removed);
        top::best(&scores, limit, |number| is_there(number) && admits(number))
    }

    fn add_scores(&self, word: u32, n_times: f32, scores: &mut [f32]) {
        let n_postings = self.chains.n_postings(word);
        let rarity = rarity_weight(to_float(n_postings), to_float(self.pieces.len()));
        self.chains.postings(word).for_each(|posting| {
            let number = posting.piece();
            if let Some((score, piece)) = scores.get_mut(number).zip(self.pieces.get(number)) {
                let [title, text] = piece.factors;
                let weight = posting.count_in_title() * title + posting.count_in_text() * text;
                *score += n_times * rarity * saturated_score(weight);
            }
        });
    }

    /// The size of the index in bytes.
    pub fn bytes(&self) -> usize {
        let pieces = self.pieces.capacity() * size_of::<Piece>();
        self.chains.bytes() + pieces + self.vocabulary().bytes()
    }

    /// Frees memory that was reserved for further pieces.
    pub fn shrink(&mut self) {
        self.pieces.shrink_to_fit();
    }
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
        add(&mut index, pieces);
        index.update_length_weights();
        index
    }

    fn add(index: &mut PieceIndex, pieces: &[(&str, &str)]) -> Range<usize> {
        let (mut reader, mut words) = (index.piece_tokenizer(), PieceWords::default());
        for (title, text) in pieces {
            reader.read(title, text, &mut words);
        }
        index.append(&words)
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
        index.update_length_weights();
        assert_eq!(index.len(), 2);
        check(&index, "cat", &[0]);
        check(&index, "dog", &[2]);
        index.compact();
        check(&index, "cat", &[0]);
        check(&index, "dog", &[1]);
        assert_eq!(add(&mut index, &[("", "a horse")]), 2..3);
    }

    #[test]
    fn a_piece_that_is_not_admitted_takes_the_rank_of_no_other() {
        let index = index(&[("", "cat cat"), ("", "cat"), ("", "cat")]);
        let hits = index.find("cat", 1, |number| number > 0);
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), [1]);
    }
}

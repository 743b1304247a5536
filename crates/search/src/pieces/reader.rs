//! Cuts pieces into words away from the index, on any thread: what is left for the index is to add the postings.

use std::sync::{Arc, PoisonError, RwLock};

use crate::vocabulary::{Spellings, Vocabulary};

/// A reader of pieces for one index.
#[derive(Debug)]
pub struct PieceReader {
    vocabulary: Arc<RwLock<Vocabulary>>,
    spellings: Spellings,
    /// The position in the list of each word that the piece may have; valid if the word stands there.
    positions: Vec<u32>,
}

/// The words of pieces, in the order in which they were read.
#[derive(Debug, Default)]
pub struct PieceWords {
    pub(super) pieces: Vec<PieceEnd>,
    pub(super) words: Vec<PieceWord>,
}

/// The lengths of a piece's title and text in words, and the end of its words in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceEnd {
    pub(super) lengths: [u16; 2],
    pub(super) end: usize,
}

/// A word of a piece, with the times that the title and the text have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceWord {
    pub(super) word: u32,
    pub(super) n: [u8; 2],
}

impl PieceReader {
    pub(super) fn new(vocabulary: Arc<RwLock<Vocabulary>>) -> Self {
        Self { vocabulary, spellings: Spellings::default(), positions: Vec::new() }
    }

    /// Adds the words of a piece to `words`.
    pub fn read(&mut self, title: &str, text: &str, words: &mut PieceWords) {
        let from = words.words.len();
        let lengths =
            [(0, title), (1, text)].map(|(field, text)| self.read_field(field, text, from, words));
        words.pieces.push(PieceEnd { lengths, end: words.words.len() });
    }

    /// Counts the words of a field. Those of the piece begin at `from`.
    fn read_field(&mut self, field: usize, text: &str, from: usize, words: &mut PieceWords) -> u16 {
        let Self { vocabulary, spellings, positions } = self;
        let list = &mut words.words;
        let mut length = 0_u16;
        let number_of = |stem| {
            vocabulary.write().unwrap_or_else(PoisonError::into_inner).number_or_add_stem(stem)
        };
        spellings.each_word_number(text, number_of, |word| {
            length = length.saturating_add(1);
            let index = word as usize;
            if index >= positions.len() {
                positions.resize(index + 1, u32::MAX);
            }
            let Some(at) = positions.get_mut(index) else { return };
            let piece_word =
                list.get_mut(*at as usize).filter(|piece_word| piece_word.word == word);
            if let Some(piece_word) = piece_word.filter(|_| *at as usize >= from) {
                piece_word.n.get_mut(field).into_iter().for_each(|n| *n = n.saturating_add(1));
                return;
            }
            *at = u32::try_from(list.len()).unwrap_or(u32::MAX);
            list.push(PieceWord { word, n: if field == 0 { [1, 0] } else { [0, 1] } });
        });
        length
    }
}

impl PieceWords {
    /// The number of pieces.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// True if there is no piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The lengths of each piece, with its words.
    pub(super) fn lengths_and_words(&self) -> impl Iterator<Item = ([u16; 2], &[PieceWord])> {
        let mut from = 0;
        self.pieces.iter().map(move |piece| {
            let words = self.words.get(from..piece.end).unwrap_or_default();
            from = piece.end;
            (piece.lengths, words)
        })
    }
}

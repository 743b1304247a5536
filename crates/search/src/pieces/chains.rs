//! The postings of all words, in blocks of memory that never move: the postings of a word are a chain of slices, each twice as long
//! as the one before. Nothing is copied while postings are added, and little is reserved in vain.

use std::iter;

use super::entry::Posting;

/// A chain of postings for each word.
#[derive(Debug, Default)]
pub(super) struct Chains {
    chains: Vec<Chain>,
    /// Each block has the capacity [`BLOCK`]. The first cell of a slice has the address of the next slice.
    blocks: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    /// The addresses of the first and the last slice.
    first: u32,
    last: u32,
    n_postings: u32,
    /// The cells of the last slice that are used, and its place in the chain, up to [`TOP`].
    used: u16,
    level: u16,
}

impl Chains {
    /// True if there is no space for the postings of a further piece.
    pub(super) fn is_full(&self) -> bool {
        self.blocks.len() >= MOST_BLOCKS
    }

    pub(super) fn push(&mut self, word: u32, posting: Posting) {
        let word = word as usize;
        if word >= self.chains.len() {
            self.chains.resize(word + 1, Chain::default());
        }
        let Some(mut chain) = self.chains.get(word).copied() else { return };
        if chain.n_postings == 0 || usize::from(chain.used) == slice_size(chain.level) {
            self.add_slice(&mut chain);
        }
        if let Some(cell) = self.cell_mut(chain.last + u32::from(chain.used)) {
            *cell = posting.to_bits();
            chain.used += 1;
            chain.n_postings += 1;
        }
        self.chains.get_mut(word).into_iter().for_each(|stored_chain| *stored_chain = chain);
    }

    /// Adds a slice to a chain.
    fn add_slice(&mut self, chain: &mut Chain) {
        let is_first = chain.n_postings == 0;
        chain.level = if is_first { 0 } else { TOP.min(chain.level + 1) };
        let at = self.reserve_slice(slice_size(chain.level));
        if is_first {
            chain.first = at;
        } else if let Some(link) = self.cell_mut(chain.last) {
            *link = at;
        }
        (chain.last, chain.used) = (at, 1);
    }

    /// The address of a new slice.
    fn reserve_slice(&mut self, n_cells: usize) -> u32 {
        if self.blocks.last().is_none_or(|block| block.len() + n_cells > BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let number = self.blocks.len() - 1;
        let Some(block) = self.blocks.last_mut() else { return 0 };
        let at = number * BLOCK + block.len();
        block.resize(block.len() + n_cells, 0);
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn cell_mut(&mut self, address: u32) -> Option<&mut u32> {
        let address = address as usize;
        self.blocks.get_mut(address / BLOCK)?.get_mut(address % BLOCK)
    }

    /// The number of a word's postings.
    pub(super) fn n_postings(&self, word: u32) -> usize {
        self.chains.get(word as usize).map_or(0, |chain| chain.n_postings as usize)
    }

    /// The postings of a word, in the order in which they were added.
    pub(super) fn postings(&self, word: u32) -> impl Iterator<Item = Posting> {
        self.slices(word).flatten().map(|bits| Posting::from_bits(*bits))
    }

    fn slices(&self, word: u32) -> impl Iterator<Item = &[u32]> {
        let chain = self.chains.get(word as usize).copied().unwrap_or_default();
        let (mut at, mut level, mut n_left) = (chain.first as usize, 0, chain.n_postings as usize);
        iter::from_fn(move || {
            if n_left == 0 {
                return None;
            }
            let from = at % BLOCK;
            let slice = self.blocks.get(at / BLOCK)?.get(from..from + slice_size(level))?;
            let (next, cells) = slice.split_first()?;
            let postings = cells.get(..n_left.min(cells.len()))?;
            (at, level, n_left) = (*next as usize, TOP.min(level + 1), n_left - postings.len());
            Some(postings)
        })
    }

    /// The chains with other postings; those that become `None` are left out.
    pub(super) fn mapped_chains(&self, of: impl Fn(Posting) -> Option<Posting>) -> Self {
        let mut mapped = Self::default();
        for word in 0..u32::try_from(self.chains.len()).unwrap_or(u32::MAX) {
            for posting in self.postings(word).filter_map(&of) {
                mapped.push(word, posting);
            }
        }
        mapped
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.chains.capacity() * size_of::<Chain>()
            + self.blocks.len() * (BLOCK * size_of::<u32>() + size_of::<Vec<u32>>())
    }
}

/// The cells of a slice, with the one for the next slice's address.
fn slice_size(level: u16) -> usize {
    4 << level
}

/// The place in a chain from which slices do not grow: 256 cells.
const TOP: u16 = 6;
/// The cells of a block.
const BLOCK: usize = 1 << 14;
/// The most blocks: addresses have 32 bits, and the words of one more piece fit behind the last.
const MOST_BLOCKS: usize = (1 << 18) - 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_postings_of_each_word_come_in_their_order() {
        let mut chains = Chains::default();
        for piece in 0..5000 {
            chains.push(0, Posting::new(piece, 0, 1));
            chains.push(if piece % 3 == 0 { 7 } else { 2 }, Posting::new(piece, 1, 1));
        }
        let pieces =
            |chains: &Chains, word| chains.postings(word).map(Posting::piece).collect::<Vec<_>>();
        assert_eq!(pieces(&chains, 0), (0..5000).collect::<Vec<_>>());
        assert_eq!(pieces(&chains, 7), (0..5000).step_by(3).collect::<Vec<_>>());
        assert_eq!((pieces(&chains, 1), pieces(&chains, 9)), (vec![], vec![]));
        let even = chains.mapped_chains(|posting| {
            (posting.piece() % 2 == 0).then(|| posting.with_piece(posting.piece() / 2))
        });
        assert_eq!(pieces(&even, 0), (0..2500).collect::<Vec<_>>());
        assert_eq!((even.n_postings(0), even.n_postings(1)), (2500, 0));
    }
}

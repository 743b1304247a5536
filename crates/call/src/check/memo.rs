//! Remembers whether the value at a place meets a schema. The memory is limited: when it is full it is cleared, and
//! forgotten results are computed again.

use hashbrown::HashTable;

pub(crate) type Key = (usize, usize);

/// The results of one check. The first few need no heap memory.
#[derive(Debug)]
pub(crate) struct Memo {
    few: [(Key, bool); FEW],
    n_few: usize,
    /// The lowest bit of the schema's address, which is otherwise zero, says whether the value meets it.
    many: HashTable<Key>,
    peak: usize,
}

impl Memo {
    pub(crate) const fn new() -> Self {
        Self { few: [((0, 0), false); FEW], n_few: 0, many: HashTable::new(), peak: 0 }
    }

    /// The most bytes that were on the heap at one time.
    pub(crate) fn peak_bytes(&self) -> usize {
        self.peak
    }

    pub(crate) fn get(&self, key: Key) -> Option<bool> {
        if self.many.is_empty() {
            let entries = self.few.iter().take(self.n_few);
            return entries.rev().find(|(entry, _)| *entry == key).map(|(_, is_valid)| *is_valid);
        }
        self.many
            .find(hash_key(&key), |entry| is_for_key(entry, &key))
            .map(|entry| entry.0 & VALID == VALID)
    }

    pub(crate) fn set(&mut self, key: Key, is_valid: bool) {
        if self.many.is_empty() {
            let entries = self.few.iter_mut().take(self.n_few);
            if let Some((_, result)) = entries.rev().find(|(entry, _)| *entry == key) {
                *result = is_valid;
                return;
            }
            if let Some(free) = self.few.get_mut(self.n_few) {
                *free = (key, is_valid);
                self.n_few += 1;
                return;
            }
            for (key, is_valid) in self.few {
                self.put_into_table(key, is_valid);
            }
        }
        self.put_into_table(key, is_valid);
    }

    fn put_into_table(&mut self, key: Key, is_valid: bool) {
        let marked = (key.0 | if is_valid { VALID } else { 0 }, key.1);
        if let Some(entry) = self.many.find_mut(hash_key(&key), |entry| is_for_key(entry, &key)) {
            *entry = marked;
            return;
        }
        if self.many.len() == MOST {
            self.many.clear();
        }
        let before = self.many.allocation_size();
        self.many.insert_unique(hash_key(&key), marked, hash_key);
        let after = self.many.allocation_size();
        let moved = if after > before { before } else { 0 };
        self.peak = self.peak.max(after + moved);
    }
}

fn is_for_key(stored_key: &Key, key: &Key) -> bool {
    stored_key.0 & !VALID == key.0 && stored_key.1 == key.1
}

/// Addresses differ in their middle bits; the hash spreads these over all bits.
fn hash_key(key: &Key) -> u64 {
    let (schema, place) = (key.0 & !VALID, key.1);
    let mixed = (schema as u64).wrapping_mul(SPREAD) ^ (place as u64).rotate_left(25);
    let mixed = mixed.wrapping_mul(SPREAD);
    mixed ^ (mixed >> 32)
}

const VALID: usize = 1;
/// An odd number with as many ones as zeros.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// The most results that are searched one by one.
const FEW: usize = 16;
/// The most results: their table takes 4.5 MiB, and 6.7 MiB while it grows.
const MOST: usize = 229_376;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memo_results_are_found_and_replaced_at_any_size() {
        let mut memo = Memo::new();
        for place in 0..1000 {
            let key = (64, place * 8);
            assert_eq!(memo.get(key), None);
            memo.set(key, true);
            memo.set(key, place % 2 == 0);
            memo.set((128, place * 8), true);
        }
        for place in 0..1000 {
            assert_eq!(memo.get((64, place * 8)), Some(place % 2 == 0), "{place}");
            assert_eq!(memo.get((128, place * 8)), Some(true));
        }
        assert_eq!(memo.get((8, 8)), None);
    }

    #[test]
    fn a_million_memo_results_use_bounded_memory() {
        let mut memo = Memo::new();
        for place in 0..1_000_000 {
            memo.set((64, place * 32), true);
        }
        assert!(memo.peak_bytes() <= 7 << 20, "{}", memo.peak_bytes());
        assert_eq!(memo.get((64, 999_999 * 32)), Some(true));
    }
}

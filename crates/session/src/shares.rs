//! Counts what each principal holds in a bounded store, and finds the principal that holds most. Decides neither what is
//! removed nor what is refused: `memory` does.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crate::key::Key;

/// The shares of all principals. Callers without a principal have one share together.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    of_principals: BTreeMap<String, Share>,
    by_bytes: BTreeSet<Rank>,
    by_records: BTreeSet<Rank>,
}

#[derive(Debug, Default)]
pub(crate) struct Share {
    pub(crate) bytes: usize,
    /// The records in the order in which they were put, by version number.
    ages: BTreeMap<u64, Key>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity {
    Bytes,
    Records,
}

/// The rank of a share: the largest is last and, of equal ones, the one with the oldest record.
type Rank = (usize, Reverse<u64>, String);

impl Share {
    pub(crate) fn n_records(&self) -> usize {
        self.ages.len()
    }

    fn used_amount(&self, quantity: Quantity) -> usize {
        match quantity {
            Quantity::Bytes => self.bytes,
            Quantity::Records => self.ages.len(),
        }
    }

    fn eviction_rank(&self, quantity: Quantity, principal: &str) -> Option<Rank> {
        let (oldest, _) = self.ages.first_key_value()?;
        Some((self.used_amount(quantity), Reverse(*oldest), principal.to_owned()))
    }
}

impl Shares {
    pub(crate) fn share_of_principal(&self, key: &Key) -> Option<&Share> {
        self.of_principals.get(key.escaped_principal_part())
    }

    pub(crate) fn add_record(&mut self, key: &Key, version: u64, bytes: usize) {
        self.change_and_rerank_share(key.escaped_principal_part(), |share| {
            share.ages.insert(version, key.clone());
            share.bytes = share.bytes.saturating_add(bytes);
        });
    }

    pub(crate) fn remove(&mut self, key: &Key, version: u64, bytes: usize) {
        self.change_and_rerank_share(key.escaped_principal_part(), |share| {
            share.ages.remove(&version);
            share.bytes = share.bytes.saturating_sub(bytes);
        });
    }

    fn change_and_rerank_share(&mut self, principal: &str, change: impl FnOnce(&mut Share)) {
        let mut share = self.of_principals.remove(principal).unwrap_or_default();
        for (quantity, ranks) in self.eviction_ranks_mut() {
            if let Some(rank) = share.eviction_rank(quantity, principal) {
                ranks.remove(&rank);
            }
        }
        change(&mut share);
        for (quantity, ranks) in self.eviction_ranks_mut() {
            ranks.extend(share.eviction_rank(quantity, principal));
        }
        if share.n_records() > 0 {
            self.of_principals.insert(principal.to_owned(), share);
        }
    }

    fn eviction_ranks_mut(&mut self) -> [(Quantity, &mut BTreeSet<Rank>); 2] {
        [(Quantity::Bytes, &mut self.by_bytes), (Quantity::Records, &mut self.by_records)]
    }

    /// The record that makes room when the principal of `key` adds `more`: the oldest of the principal that then holds most,
    /// first its own.
    pub(crate) fn key_to_evict(&self, quantity: Quantity, key: &Key, more: usize) -> Option<&Key> {
        let ranks = match quantity {
            Quantity::Bytes => &self.by_bytes,
            Quantity::Records => &self.by_records,
        };
        let (most, _, principal) = ranks.last()?;
        let own = self
            .share_of_principal(key)
            .filter(|own| own.used_amount(quantity).saturating_add(more) >= *most);
        let share = own.or_else(|| self.of_principals.get(principal))?;
        share.ages.first_key_value().map(|(_, oldest)| oldest)
    }

    /// The bytes that would remain if every share but that of `key` had at most `bytes`.
    pub(crate) fn capped_bytes_of_others(&self, key: &Key, bytes: usize) -> usize {
        let others = self
            .of_principals
            .iter()
            .filter(|(principal, _)| **principal != key.escaped_principal_part());
        others.fold(0, |sum: usize, (_, share)| sum.saturating_add(share.bytes.min(bytes)))
    }
}

#[cfg(test)]
mod tests;

//! What each owner holds in the file, and whether it may hold more.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Shares {
    bound: u64,
    total: u64,
    of_owners: BTreeMap<[u8; 16], u64>,
}

impl Shares {
    pub(super) fn new(bound: u64) -> Self {
        Self { bound, ..Self::default() }
    }

    pub(super) fn add_bytes(&mut self, owner: [u8; 16], bytes: u64) {
        self.total = self.total.saturating_add(bytes);
        let share = self.of_owners.entry(owner).or_default();
        *share = share.saturating_add(bytes);
    }

    pub(super) fn remove(&mut self, owner: [u8; 16], bytes: u64) {
        self.total = self.total.saturating_sub(bytes);
        let share = self.of_owners.entry(owner).or_default();
        *share = share.saturating_sub(bytes);
        if *share == 0 {
            self.of_owners.remove(&owner);
        }
    }

    /// Returns true if the owner, with these bytes more, holds no more than was free for it.
    pub(super) fn has_room(&self, owner: [u8; 16], bytes: u64) -> bool {
        let own = self.of_owners.get(&owner).copied().unwrap_or_default();
        own.saturating_add(bytes) <= self.bound.saturating_sub(self.total)
    }

    /// The most bytes of a record: what a lone owner may hold.
    pub(super) fn most_record_bytes(&self) -> u64 {
        self.bound / 2
    }

    pub(super) fn total_byte_limit(&self) -> u64 {
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_that_fills_its_share_leaves_as_much_to_another() {
        let mut shares = Shares::new(100);
        let (kim, lee) = ([1; 16], [2; 16]);
        assert!(shares.has_room(kim, 50) && !shares.has_room(kim, 101));
        shares.add_bytes(kim, 50);
        assert!(!shares.has_room(kim, 1) && shares.has_room(lee, 50));
        shares.add_bytes(lee, 25);
        assert!(shares.has_room([3; 16], 25) && !shares.has_room(lee, 1));
        shares.remove(kim, 50);
        assert!(shares.has_room(lee, 25));
    }
}

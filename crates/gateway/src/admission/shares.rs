//! The share of all permits that one principal may use: requests beyond it are refused until later, and the other principals
//! keep their permits.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use callgate_tool::Principal;

#[derive(Debug)]
pub(super) struct Shares {
    most: usize,
    taken: Arc<Taken>,
}

/// One request of a principal, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    principal: String,
    taken: Arc<Taken>,
}

#[derive(Debug, Default)]
struct Taken(Mutex<BTreeMap<String, usize>>);

impl Shares {
    pub(super) fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// Takes a permit for a principal; `None` if its share is used up.
    pub(super) fn take(&self, principal: &Principal) -> Option<Share> {
        let principal = principal.id().to_owned();
        let mut taken = self.taken.lock();
        let n_taken = taken.entry(principal.clone()).or_default();
        if *n_taken >= self.most {
            return None;
        }
        *n_taken += 1;
        drop(taken);
        Some(Share { principal, taken: Arc::clone(&self.taken) })
    }
}

impl Taken {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        let Some(n_taken) = taken.get_mut(&self.principal) else { return };
        *n_taken -= 1;
        if *n_taken == 0 {
            taken.remove(&self.principal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_principal_has_a_share_of_its_own_that_is_freed_by_dropping() {
        let (shares, kim, lee) = (Shares::new(2), Principal::new("kim"), Principal::new("lee"));
        let (one, other) = (shares.take(&kim).unwrap(), shares.take(&kim).unwrap());
        assert!(shares.take(&kim).is_none());
        assert!(shares.take(&lee).is_some());
        drop(one);
        assert!(shares.take(&kim).is_some());
        drop(other);
        assert!(shares.taken.lock().is_empty());
    }
}

//! Shares of something that all principals use: each holds at most its share of the units, and units that become free go to
//! the waiting principals in turn, so that the requests of one never stand before those of another.

use std::{
    collections::{BTreeMap, VecDeque},
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// The units of something shared, and the requests that wait for them. Clones share them.
///
/// ```
/// use callgate_session::{FairQueue, QueueBounds};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let queue = FairQueue::new(QueueBounds { units: 4, each: 2, waiting: 0 });
/// let permits = (queue.try_enter("kim", 1), queue.try_enter("kim", 1));
/// assert!(permits.0.is_some() && permits.1.is_some());
/// assert!(queue.enter("kim", 1).await.is_none(), "its share is used up");
/// assert!(queue.enter("lee", 2).await.is_some(), "the others have theirs");
/// # });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct FairQueue(Arc<Shared>);

/// The bounds of a [`FairQueue`].
///
/// ```
/// use callgate_session::QueueBounds;
///
/// let bounds = QueueBounds { units: 8, each: 4, waiting: 1_000 };
/// assert!(bounds.each < bounds.units, "something is left to the others");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[doc(hidden)]
pub struct QueueBounds {
    /// The units that are in use at once.
    pub units: usize,
    /// The units that one principal uses at once.
    pub each: usize,
    /// The requests that wait for units. One principal has at most half of what the others leave.
    pub waiting: usize,
}

/// Units in use, until this is dropped.
#[derive(Debug)]
#[must_use = "the units are free again once it is dropped"]
#[doc(hidden)]
pub struct QueuePermit {
    shared: Arc<Shared>,
    principal: Arc<str>,
    units: usize,
}

#[derive(Debug)]
struct Shared {
    bounds: QueueBounds,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    n_used: usize,
    n_waiting: usize,
    principals: BTreeMap<Arc<str>, Share>,
    /// The principals with requests that wait, in the order of their turns.
    turns: VecDeque<Arc<str>>,
    /// The requests that have their units, and have not taken them over yet.
    granted: Vec<u64>,
    wakers: BTreeMap<u64, Waker>,
    last_number: u64,
}

#[derive(Debug, Default)]
struct Share {
    n_used: usize,
    /// The numbers and the units of the requests that wait.
    waiting: VecDeque<(u64, usize)>,
}

/// A request in the queue. Dropping it gives back its turn or its units, unless a permit has them.
#[derive(Debug)]
struct Ticket {
    shared: Arc<Shared>,
    principal: Arc<str>,
    units: usize,
    number: u64,
    may_wait: bool,
}

impl FairQueue {
    /// Units within these bounds.
    pub fn new(bounds: QueueBounds) -> Self {
        let bounds = QueueBounds { each: bounds.each.min(bounds.units), ..bounds };
        Self(Arc::new(Shared { bounds, state: Mutex::default() }))
    }

    /// Takes units for a principal, if it may have them now. More units than a share has count as the whole share.
    pub fn try_enter(&self, principal: &str, units: usize) -> Option<QueuePermit> {
        self.take_without_waiting(principal, units)
            .or_else(|| self.join_queue(principal, units).granted_permit())
    }

    /// Waits for units for a principal; `None` if too many requests wait already. More units than a share has count as the
    /// whole share. Dropping the future leaves the queue.
    pub async fn enter(&self, principal: &str, units: usize) -> Option<QueuePermit> {
        if let Some(permit) = self.take_without_waiting(principal, units) {
            return Some(permit);
        }
        let ticket = self.join_queue(principal, units);
        if ticket.may_wait {
            poll_fn(|cx| ticket.poll_grant(cx)).await;
        }
        ticket.granted_permit()
    }

    /// True if no units are in use.
    pub fn is_idle(&self) -> bool {
        self.0.lock().n_used == 0
    }

    /// Takes units while nobody waits.
    fn take_without_waiting(&self, principal: &str, units: usize) -> Option<QueuePermit> {
        let QueueBounds { units: most, each, .. } = self.0.bounds;
        let units = units.clamp(1, each.max(1));
        let mut state = self.0.lock();
        if !state.turns.is_empty() || state.n_used + units > most {
            return None;
        }
        let entry = state.principals.get_key_value(principal);
        let n_own = entry.map_or(0, |(_, share)| share.n_used);
        if n_own + units > each {
            return None;
        }
        let principal = entry.map_or_else(|| Arc::from(principal), |(name, _)| Arc::clone(name));
        state.principals.entry(Arc::clone(&principal)).or_default().n_used += units;
        state.n_used += units;
        drop(state);
        Some(QueuePermit { shared: Arc::clone(&self.0), principal, units })
    }

    fn join_queue(&self, principal: &str, units: usize) -> Ticket {
        let (shared, principal) = (Arc::clone(&self.0), Arc::<str>::from(principal));
        let units = units.clamp(1, shared.bounds.each.max(1));
        let mut guard = shared.lock();
        let state = &mut *guard;
        state.last_number = state.last_number.wrapping_add(1);
        let number = state.last_number;
        let share = state.principals.entry(Arc::clone(&principal)).or_default();
        let n_own = share.waiting.len();
        if n_own == 0 {
            state.turns.push_back(Arc::clone(&principal));
        }
        share.waiting.push_back((number, units));
        let n_others = state.n_waiting.saturating_sub(n_own);
        state.n_waiting += 1;
        // A lone principal has half of the queue; one that fills its part leaves as much to another.
        let n_left = shared.bounds.waiting.saturating_sub(n_others);
        let may_wait = n_own.saturating_mul(2) < n_left;
        let wakers = state.grant_free_units(shared.bounds);
        drop(guard);
        wakers.into_iter().for_each(Waker::wake);
        Ticket { shared, principal, units, number, may_wait }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and gives what became free to those that wait.
    fn change_and_grant_units(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let wakers = state.grant_free_units(self.bounds);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// Gives free units to the principals in turn. A request that does not fit into the free units stops those behind it, so
    /// that it does not wait forever for many small ones.
    fn grant_free_units(&mut self, bounds: QueueBounds) -> Vec<Waker> {
        let (mut wakers, mut n_passed) = (Vec::new(), 0);
        while n_passed < self.turns.len() {
            let Some(principal) = self.turns.pop_front() else { break };
            let Some(share) = self.principals.get_mut(&principal) else { continue };
            let Some((number, units)) = share.waiting.front().copied() else { continue };
            if share.n_used + units > bounds.each {
                self.turns.push_back(principal);
                n_passed += 1;
                continue;
            }
            if self.n_used + units > bounds.units {
                self.turns.push_front(principal);
                break;
            }
            share.waiting.pop_front();
            share.n_used += units;
            let has_more = !share.waiting.is_empty();
            self.n_used += units;
            self.n_waiting -= 1;
            self.granted.push(number);
            wakers.extend(self.wakers.remove(&number));
            if has_more {
                self.turns.push_back(principal);
            }
            n_passed = 0;
        }
        wakers
    }

    fn is_granted(&self, number: u64) -> bool {
        self.granted.contains(&number)
    }

    fn release_units(&mut self, principal: &str, units: usize) {
        self.n_used = self.n_used.saturating_sub(units);
        if let Some(share) = self.principals.get_mut(principal) {
            share.n_used = share.n_used.saturating_sub(units);
        }
        self.remove_principal_if_idle(principal);
    }

    fn leave_queue(&mut self, principal: &str, number: u64) {
        self.wakers.remove(&number);
        let Some(share) = self.principals.get_mut(principal) else { return };
        let n_before = share.waiting.len();
        share.waiting.retain(|(waiting, _)| *waiting != number);
        self.n_waiting -= n_before - share.waiting.len();
        if share.waiting.is_empty() {
            self.turns.retain(|turn| **turn != *principal);
        }
        self.remove_principal_if_idle(principal);
    }

    fn remove_principal_if_idle(&mut self, principal: &str) {
        let is_idle = |share: &Share| share.n_used == 0 && share.waiting.is_empty();
        if self.principals.get(principal).is_some_and(is_idle) {
            self.principals.remove(principal);
        }
    }
}

impl Ticket {
    fn poll_grant(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        if state.is_granted(self.number) {
            return Poll::Ready(());
        }
        state.wakers.insert(self.number, cx.waker().clone());
        Poll::Pending
    }

    /// The permit, if the request has its units.
    fn granted_permit(self) -> Option<QueuePermit> {
        let mut state = self.shared.lock();
        let n_before = state.granted.len();
        state.granted.retain(|number| *number != self.number);
        let is_granted = state.granted.len() < n_before;
        drop(state);
        let (shared, principal) = (Arc::clone(&self.shared), Arc::clone(&self.principal));
        is_granted.then(|| QueuePermit { shared, principal, units: self.units })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.shared.change_and_grant_units(|state| {
            if state.is_granted(self.number) {
                state.granted.retain(|number| *number != self.number);
                state.release_units(&self.principal, self.units);
            } else {
                state.leave_queue(&self.principal, self.number);
            }
        });
    }
}

impl Drop for QueuePermit {
    fn drop(&mut self) {
        self.shared
            .change_and_grant_units(|state| state.release_units(&self.principal, self.units));
    }
}

#[cfg(test)]
mod tests;

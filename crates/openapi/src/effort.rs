//! Counts what it costs to make tools of a description, in steps: a part that is looked at, a reference that is
//! followed, a value that is kept. Small texts can ask for much (operations that share a long list); what asks for more
//! than the limits allow is refused instead of done. What a step is worth is decided where it is taken.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use callgate_tree::Node;

/// The effort that is left for a description, and for the operation that is being read. One load takes from it, on one thread.
#[derive(Debug)]
pub(crate) struct Effort {
    most: usize,
    most_of_one: usize,
    left: AtomicUsize,
    left_of_one: AtomicUsize,
    lack: OnceLock<Lack>,
}

/// The reason why a definition that operations share is not there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Lack {
    /// The one at this pointer takes more steps than one may.
    Definition(Arc<str>),
    /// It takes more than those before it left.
    Rest,
}

impl Effort {
    /// This many steps. When operations are begun, each may take a part of them ([`SHARE`]).
    pub(crate) fn new(most: usize) -> Self {
        let most_of_one = most / SHARE;
        Self {
            most,
            most_of_one,
            left: most.into(),
            left_of_one: most.into(),
            lack: OnceLock::new(),
        }
    }

    /// Begins with another operation.
    pub(crate) fn begin(&self) {
        let left = self.left.load(Relaxed);
        self.left_of_one.store(self.most_of_one.min(left / SHARE).max(1), Relaxed);
    }

    /// Takes some steps; `false` when there are not as many left.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let take = |from: &AtomicUsize| {
            let left = from.load(Relaxed);
            from.store(left.saturating_sub(steps), Relaxed);
            left > steps
        };
        // Both are taken from, so that an operation that is given up has been paid for.
        take(&self.left) & take(&self.left_of_one)
    }

    /// Takes what it costs to keep a copy of a value; `false` when there is not as much left.
    pub(crate) fn spend_copy(&self, value: &Node) -> bool {
        match value {
            Node::Array(items) => {
                self.spend(KEPT) && items.iter().all(|item| self.spend_copy(item))
            }
            Node::Object(members) => members.iter().all(|(name, value)| {
                self.spend(KEPT + name.len() / BYTES_KEPT) && self.spend_copy(value)
            }),
            Node::String(text) => self.spend(VALUE) && self.spend_text(text),
            _ => self.spend(VALUE),
        }
    }

    /// Takes what it costs to keep a copy of a text; `false` when there is not as much left.
    pub(crate) fn spend_text(&self, text: &str) -> bool {
        self.spend(1 + text.len() / BYTES_KEPT)
    }

    /// Says that a definition that is needed is not there; the first one counts.
    pub(crate) fn lack(&self, lack: &Lack) {
        self.lack.get_or_init(|| lack.clone());
    }

    /// The reason why a definition that is needed is not there.
    pub(crate) fn lacking(&self) -> Option<&Lack> {
        self.lack.get()
    }

    /// The number of steps that were taken.
    pub(crate) fn spent(&self) -> usize {
        self.most.saturating_sub(self.left.load(Relaxed))
    }

    /// Returns true if the description has had all its steps.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Returns true if the operation that is being read has.
    pub(crate) fn is_spent_by_one(&self) -> bool {
        self.is_spent() || self.left_of_one.load(Relaxed) == 0
    }
}

/// The cost to keep a value for as long as the tools are kept, in steps: they count for memory too.
pub(crate) const KEPT: usize = 16;

/// The cost to keep a value without parts.
const VALUE: usize = 5;

/// The bytes of a copied text that cost one step.
const BYTES_KEPT: usize = 8;

/// An operation that takes more than a tenth of what is left for all is given up alone, so that dear ones leave something
/// for those after them; real ones take a hundredth of what all may take.
const SHARE: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operation_leaves_something_for_the_others() {
        let effort = Effort::new(100);
        effort.begin();
        assert!(effort.spend(9));
        assert!(!effort.spend(5));
        assert!(effort.is_spent_by_one() && !effort.is_spent());
        effort.begin();
        assert!(effort.spend(7));
        assert!(!effort.spend(80));
        assert!(effort.is_spent());
    }
}

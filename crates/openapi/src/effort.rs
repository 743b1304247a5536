//! Counts what it costs to make tools of a description, in steps: a part that is looked at, a reference that is
//! followed, a value that is kept. Small texts can ask for much (operations that share a long list); what asks for more
//! than the limits allow is refused instead of done. What a step is worth is decided where it is taken.
//!
//! Reading takes the steps by itself: the iterators and copies of a [`Meter`], and the cursor, the references and the open ends
//! of walks (`ahead`), which are made of them. A rule reads by these and takes none by hand.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use callgate_tool::Value;
use callgate_tree::Node;

/// The effort that is taken by reading a document, where it is counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Option<Arc<Effort>>);

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

impl Meter {
    /// Counts this many steps.
    pub(crate) fn of(most: usize) -> Self {
        Self(Some(Arc::new(Effort::new(most))))
    }

    /// The effort, where it is counted.
    pub(crate) fn effort(&self) -> Option<&Effort> {
        self.0.as_deref()
    }

    /// Begins with another operation.
    pub(crate) fn begin(&self) {
        self.effort().into_iter().for_each(Effort::begin);
        self.spend(OPERATION);
    }

    /// Takes some steps; `false` when there are not as many left.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        self.effort().is_none_or(|effort| effort.spend(steps))
    }

    /// Those of some parts that there is effort for, where each takes so many steps.
    pub(crate) fn affordable<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: usize,
    ) -> impl Iterator<Item = T> {
        self.affordable_by(parts, move |_| steps)
    }

    /// Those of some parts that there is effort for, where each says how many steps it takes.
    pub(crate) fn affordable_by<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: impl Fn(&T) -> usize,
    ) -> impl Iterator<Item = T> {
        parts.into_iter().take_while(move |part| self.spend(steps(part)))
    }

    /// All of some parts, each of which takes as many steps as it says, left or not: for parts without which the result
    /// would be wrong and not only less.
    pub(crate) fn charged<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: impl Fn(&T) -> usize,
    ) -> impl Iterator<Item = T> {
        parts.into_iter().inspect(move |part| _ = self.spend(steps(part)))
    }

    /// The rest of a depth one level deeper, where that and effort for it are left.
    pub(crate) fn deeper(&self, depth: usize, steps: usize) -> Option<usize> {
        depth.checked_sub(1).filter(|_| self.spend(steps))
    }

    /// A copy of a value, where there is effort to keep it.
    pub(crate) fn copy(&self, value: &Node) -> Option<Value> {
        self.effort().is_none_or(|effort| effort.keeps_node(value)).then(|| value.to_value())
    }

    /// A copy of a value that was built, which takes what it costs to keep it, left or not: without it a schema would allow
    /// more than the description.
    pub(crate) fn copy_built(&self, value: &Value) -> Value {
        let _ = self.effort().is_none_or(|effort| effort.keeps(value));
        value.clone()
    }

    /// A text, where there is effort to keep it.
    pub(crate) fn text<T: AsRef<str>>(&self, text: T) -> Option<T> {
        self.spend(steps_of_text(text.as_ref())).then_some(text)
    }
}

impl Effort {
    /// This many steps. When operations are begun, each may take a part of them ([`SHARE`]).
    fn new(most: usize) -> Self {
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
    fn begin(&self) {
        let left = self.left.load(Relaxed);
        self.left_of_one.store(self.most_of_one.min(left / SHARE).max(1), Relaxed);
    }

    /// Takes some steps; `false` when there are not as many left.
    fn spend(&self, steps: usize) -> bool {
        let take = |from: &AtomicUsize| {
            let left = from.load(Relaxed);
            from.store(left.saturating_sub(steps), Relaxed);
            left > steps
        };
        // Both are taken from, so that an operation that is given up has been paid for.
        take(&self.left) & take(&self.left_of_one)
    }

    /// Takes what it costs to keep a copy of a value; `false` when there is not as much left.
    fn keeps_node(&self, value: &Node) -> bool {
        match value {
            Node::Array(items) => {
                self.spend(KEPT) && items.iter().all(|item| self.keeps_node(item))
            }
            Node::Object(members) => members.iter().all(|(name, value)| {
                self.spend(KEPT + name.len() / BYTES_KEPT) && self.keeps_node(value)
            }),
            Node::String(text) => self.spend(VALUE + steps_of_text(text)),
            _ => self.spend(VALUE),
        }
    }

    /// Takes what it costs to keep a copy of a value that was built; `false` when there is not as much left.
    fn keeps(&self, value: &Value) -> bool {
        match value {
            Value::Array(items) => self.spend(KEPT) && items.iter().all(|item| self.keeps(item)),
            Value::Object(members) => members.iter().all(|(name, value)| {
                self.spend(KEPT + name.len() / BYTES_KEPT) && self.keeps(value)
            }),
            Value::String(text) => self.spend(VALUE + steps_of_text(text)),
            _ => self.spend(VALUE),
        }
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

/// The cost to keep a text, in steps.
pub(crate) fn steps_of_text(text: &str) -> usize {
    1 + text.len() / BYTES_KEPT
}

/// The cost to keep a value for as long as the tools are kept, in steps: they count for memory too.
pub(crate) const KEPT: usize = 16;

/// The cost to keep a value without parts.
const VALUE: usize = 5;

/// The bytes of a copied text that cost one step.
const BYTES_KEPT: usize = 8;

/// The steps to read an operation without parts.
const OPERATION: usize = 32;

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

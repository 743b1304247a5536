//! Counts the cost of making tools of a description, in steps: visiting a part, following a reference, keeping a value.
//! Small texts can cause much work (operations that share a long list); work beyond the limits is refused instead of
//! done. The code that takes a step decides its cost.
//!
//! Reading takes steps automatically: the iterators and copies of a [`Meter`] take them, and so do the cursor, the
//! references and the unvisited parts of walks (`ahead`), which are built on them. Code that reads through these takes
//! no steps by hand.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use callgate_tool::Value;
use callgate_tree::Node;

/// The steps of reading a document, if they are counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Option<Arc<StepBudget>>);

/// The steps that remain for a description, and for the operation that is being read. One load uses it, on one thread.
#[derive(Debug)]
pub(crate) struct StepBudget {
    most: usize,
    most_of_one: usize,
    left: AtomicUsize,
    left_of_one: AtomicUsize,
    lack: OnceLock<Lack>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Lack {
    /// The definition at this pointer takes more steps than one definition may.
    Definition(Arc<str>),
    /// Earlier definitions left too few steps.
    Rest,
}

impl Meter {
    pub(crate) fn with_limit(most: usize) -> Self {
        Self(Some(Arc::new(StepBudget::new(most))))
    }

    pub(crate) fn step_budget(&self) -> Option<&StepBudget> {
        self.0.as_deref()
    }

    pub(crate) fn begin_operation_budget(&self) {
        self.step_budget().into_iter().for_each(StepBudget::begin_operation_budget);
        self.spend_steps(OPERATION);
    }

    /// Uses some steps; `false` if fewer remain.
    pub(crate) fn spend_steps(&self, steps: usize) -> bool {
        self.step_budget().is_none_or(|budget| budget.spend_steps(steps))
    }

    /// Yields parts while steps remain; each part costs `steps`.
    pub(crate) fn while_affordable<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: usize,
    ) -> impl Iterator<Item = T> {
        self.affordable_by(parts, move |_| steps)
    }

    /// Yields parts while steps remain; `steps` returns the cost of each.
    pub(crate) fn affordable_by<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: impl Fn(&T) -> usize,
    ) -> impl Iterator<Item = T> {
        parts.into_iter().take_while(move |part| self.spend_steps(steps(part)))
    }

    /// Yields all parts and charges the cost of each, even if no steps remain: for parts without which the result
    /// would be wrong and not only smaller.
    pub(crate) fn charge_all_parts<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: impl Fn(&T) -> usize,
    ) -> impl Iterator<Item = T> {
        parts.into_iter().inspect(move |part| _ = self.spend_steps(steps(part)))
    }

    /// The remaining depth one level deeper; `None` if the depth or no steps remain.
    pub(crate) fn descend_to_remaining_depth(&self, depth: usize, steps: usize) -> Option<usize> {
        depth.checked_sub(1).filter(|_| self.spend_steps(steps))
    }

    /// A copy of a value, if enough steps remain to keep it.
    pub(crate) fn copy_if_affordable(&self, value: &Node) -> Option<Value> {
        self.step_budget()
            .is_none_or(|budget| budget.spend_on_node_copy(value))
            .then(|| value.to_value())
    }

    /// A copy of a built value. It is always made, and its cost is charged even if no steps remain: without the
    /// value a schema would allow more than the description.
    pub(crate) fn copy_and_charge(&self, value: &Value) -> Value {
        let _ = self.step_budget().is_none_or(|budget| budget.spend_on_copy(value));
        value.clone()
    }

    /// A text, if enough steps remain to keep it.
    pub(crate) fn text_if_affordable<T: AsRef<str>>(&self, text: T) -> Option<T> {
        self.spend_steps(steps_of_text(text.as_ref())).then_some(text)
    }
}

impl StepBudget {
    /// A budget of this many steps. Once operations are begun, each may use a fraction of them ([`SHARE`]).
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

    fn begin_operation_budget(&self) {
        let left = self.left.load(Relaxed);
        self.left_of_one.store(self.most_of_one.min(left / SHARE).max(1), Relaxed);
    }

    fn spend_steps(&self, steps: usize) -> bool {
        let take = |from: &AtomicUsize| {
            let left = from.load(Relaxed);
            from.store(left.saturating_sub(steps), Relaxed);
            left > steps
        };
        // Both are charged, so that an operation that is given up has been paid for.
        take(&self.left) & take(&self.left_of_one)
    }

    /// Uses the steps for keeping a copy of a value; `false` if fewer remain.
    fn spend_on_node_copy(&self, value: &Node) -> bool {
        match value {
            Node::Array(items) => {
                self.spend_steps(KEPT) && items.iter().all(|item| self.spend_on_node_copy(item))
            }
            Node::Object(members) => members.iter().all(|(name, value)| {
                self.spend_steps(KEPT + name.len() / BYTES_KEPT) && self.spend_on_node_copy(value)
            }),
            Node::String(text) => self.spend_steps(VALUE + steps_of_text(text)),
            _ => self.spend_steps(VALUE),
        }
    }

    /// Uses the steps for keeping a copy of a built value; `false` if fewer remain.
    fn spend_on_copy(&self, value: &Value) -> bool {
        match value {
            Value::Array(items) => {
                self.spend_steps(KEPT) && items.iter().all(|item| self.spend_on_copy(item))
            }
            Value::Object(members) => members.iter().all(|(name, value)| {
                self.spend_steps(KEPT + name.len() / BYTES_KEPT) && self.spend_on_copy(value)
            }),
            Value::String(text) => self.spend_steps(VALUE + steps_of_text(text)),
            _ => self.spend_steps(VALUE),
        }
    }

    /// Records that a required definition is missing; the first one counts.
    pub(crate) fn record_lack(&self, lack: &Lack) {
        self.lack.get_or_init(|| lack.clone());
    }

    pub(crate) fn recorded_lack(&self) -> Option<&Lack> {
        self.lack.get()
    }

    pub(crate) fn used_steps(&self) -> usize {
        self.most.saturating_sub(self.left.load(Relaxed))
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    pub(crate) fn is_spent_for_operation(&self) -> bool {
        self.is_spent() || self.left_of_one.load(Relaxed) == 0
    }
}

pub(crate) fn steps_of_text(text: &str) -> usize {
    1 + text.len() / BYTES_KEPT
}

/// The cost to keep a value for the lifetime of the tools, in steps; they account for memory too.
pub(crate) const KEPT: usize = 16;

/// The cost to keep a value without parts.
const VALUE: usize = 5;

/// The bytes of a copied text that cost one step.
const BYTES_KEPT: usize = 8;

/// The steps to read an operation without parts.
const OPERATION: usize = 32;

/// The fraction of the remaining steps that one operation may use. An operation that costs more is given up alone, so
/// that expensive operations leave steps for later ones; real operations use a hundredth of all steps.
const SHARE: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operation_cannot_spend_the_whole_step_budget() {
        let budget = StepBudget::new(100);
        budget.begin_operation_budget();
        assert!(budget.spend_steps(9));
        assert!(!budget.spend_steps(5));
        assert!(budget.is_spent_for_operation() && !budget.is_spent());
        budget.begin_operation_budget();
        assert!(budget.spend_steps(7));
        assert!(!budget.spend_steps(80));
        assert!(budget.is_spent());
    }
}

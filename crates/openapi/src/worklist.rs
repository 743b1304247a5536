//! The parts that a walk has still to visit. The walk keeps them in a list and not on the stack. Each part costs steps
//! when it is visited; the walk decides what it looks for.

use std::collections::VecDeque;

use crate::document::Document;

#[derive(Debug)]
pub(crate) struct Worklist<'d, T> {
    document: &'d Document,
    /// The steps that a part costs.
    steps: fn(&T) -> usize,
    parts: VecDeque<T>,
}

impl<'d, T> Worklist<'d, T> {
    pub(crate) fn new(document: &'d Document, steps: fn(&T) -> usize) -> Self {
        Self { document, steps, parts: VecDeque::new() }
    }

    pub(crate) fn push(&mut self, part: T) {
        self.parts.push_back(part);
    }

    /// Removes the oldest part; `None` if the list is empty or no steps remain, and then the part stays.
    pub(crate) fn take_first(&mut self) -> Option<T> {
        self.can_afford(self.parts.front()).then(|| self.parts.pop_front())?
    }

    /// Removes the newest part; `None` if the list is empty or no steps remain, and then the part stays.
    pub(crate) fn take_last(&mut self) -> Option<T> {
        self.can_afford(self.parts.back()).then(|| self.parts.pop_back())?
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn can_afford(&self, part: Option<&T>) -> bool {
        self.document.meter().affordable_by(part, |part| (self.steps)(part)).next().is_some()
    }
}

impl<T> Extend<T> for Worklist<'_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, parts: I) {
        self.parts.extend(parts);
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::sample::document;

    #[test]
    fn a_worklist_keeps_parts_for_which_the_budget_is_spent() {
        let document = document(json!({})).with_step_limit(10);
        let mut ahead = Worklist::new(&document, |part: &usize| *part);
        ahead.extend([3, 4, 5, 2]);
        assert_eq!(
            (ahead.take_first(), ahead.take_last(), ahead.take_last()),
            (Some(3), Some(2), None)
        );
        assert!(!ahead.is_empty() && document.is_spent());
    }
}

//! The calls of a program that begin when others end, in the order in which the code asked for them. What they hold together is bounded:
//! the code may ask for many at once.

use std::collections::VecDeque;

use callgate_tool::ToolCall;

use crate::journal::estimated_object_size;

/// The calls that begin when others end, by their numbers.
#[derive(Debug, Default)]
pub(super) struct CallQueue {
    calls: VecDeque<QueuedCall>,
    /// About the bytes of all arguments.
    size: usize,
}

#[derive(Debug)]
struct QueuedCall {
    number: usize,
    call: ToolCall,
    size: usize,
}

impl CallQueue {
    /// True unless the arguments of the call take more than is free. There is always room for one call.
    pub(super) fn has_room_for(&self, call: &ToolCall) -> bool {
        self.is_empty()
            || self.size.saturating_add(estimated_object_size(&call.arguments)) <= MOST_QUEUED
    }

    pub(super) fn push(&mut self, number: usize, call: ToolCall) {
        let size = estimated_object_size(&call.arguments);
        self.size = self.size.saturating_add(size);
        self.calls.push_back(QueuedCall { number, call, size });
    }

    /// The call that begins next, with its number.
    pub(super) fn pop(&mut self) -> Option<(usize, ToolCall)> {
        let QueuedCall { number, call, size } = self.calls.pop_front()?;
        self.size = self.size.saturating_sub(size);
        Some((number, call))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// The bytes of the arguments of calls that have not begun: more than those that a journal records.
pub(super) const MOST_QUEUED: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use callgate_tool::{Arguments, Value};

    use super::*;

    fn call(length: usize) -> ToolCall {
        let note = Value::from("x".repeat(length));
        ToolCall::new("1", "pets-addPet", Arguments::from([("note", note)]))
    }

    #[test]
    fn calls_wait_in_order_within_a_bound_of_their_arguments() {
        let mut queue = CallQueue::default();
        assert!(queue.has_room_for(&call(2 * MOST_QUEUED)), "the only one");
        for number in 0..3 {
            assert!(queue.has_room_for(&call(MOST_QUEUED / 4)), "{number}");
            queue.push(number, call(MOST_QUEUED / 4));
        }
        assert!(!queue.has_room_for(&call(MOST_QUEUED / 4)));
        assert!(queue.has_room_for(&call(MOST_QUEUED / 8)));
        assert_eq!(queue.pop().map(|(number, _)| number), Some(0));
        assert!(queue.has_room_for(&call(MOST_QUEUED / 4)));
        assert_eq!(queue.pop().map(|(number, _)| number), Some(1));
        assert_eq!(queue.pop().map(|(number, _)| number), Some(2));
        assert!(queue.pop().is_none() && queue.is_empty());
    }
}

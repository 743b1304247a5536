//! One member of an object while the object is read.

use std::sync::Arc;

use crate::node::Node;

/// A member that was read; `at` is where its name stands, as far as the reader knows.
#[derive(Clone, Debug)]
pub(super) struct Member<P> {
    pub(super) name: Arc<str>,
    pub(super) node: Node,
    pub(super) at: P,
}

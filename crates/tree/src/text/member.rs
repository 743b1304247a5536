//! One member of an object while the object is being read.

use std::sync::Arc;

use crate::node::Node;

/// A member that was read; `at` is the place of its name, if the reader knows it.
#[derive(Clone, Debug)]
pub(super) struct Member<P> {
    pub(super) name: Arc<str>,
    pub(super) node: Node,
    pub(super) at: P,
}

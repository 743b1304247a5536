//! What tests of several modules use.

pub(crate) mod store;

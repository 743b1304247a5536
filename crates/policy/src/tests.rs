//! Parts that tests of several modules share.

pub(crate) mod store;

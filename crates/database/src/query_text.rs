//! A model's text as an engine may get it.

/// A text that its engine may get.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct QueryText {
    /// What stands in front of the statement around the text; empty for nothing.
    pub(crate) with: String,
    pub(crate) sql: String,
}

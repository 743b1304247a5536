//! A model's text as an engine may get it.

/// A text that its engine may get.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct QueryText {
    /// The named queries in front of the statement around the text; empty for none.
    pub(crate) with: String,
    pub(crate) sql: String,
}

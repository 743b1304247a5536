//! An option that one toolset of a configuration has no use for, while others have.

/// An option that a toolset has no use for: no call of its tools can have it.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnusedOption {
    /// The toolset's name.
    pub toolset: String,
    /// The option beside the source of the toolset.
    pub message: String,
}

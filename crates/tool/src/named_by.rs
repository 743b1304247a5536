//! The party that named an origin: what the operator wrote is trusted, what a description says must be public. What
//! follows from it is decided where requests are sent.

/// The party that named an origin. As an extension of a request it stands for the one that the request goes to.
///
/// ```
/// use callgate_tool::NamedBy;
///
/// /// True where requests may go to a private network.
/// fn may_be_private(named_by: NamedBy) -> bool {
///     match named_by {
///         NamedBy::Description => false,
///         NamedBy::Operator => true,
///     }
/// }
/// assert!(!may_be_private(NamedBy::Description));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever guards origins must handle a new one")]
pub enum NamedBy {
    /// A description: it must be public https, or lead to addresses the operator allows.
    Description,
    /// The operator, in the configuration or on the command line: it may be private or this machine.
    Operator,
}

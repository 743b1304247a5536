//! The party that named an origin: an origin from the operator is trusted, an origin from a description must be public.
//! `transport` enforces the rule.

/// The party that named an origin. As an extension of a request it says who named the request's destination.
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
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum NamedBy {
    /// A description: the origin must be public https, or lead to addresses that the operator allows.
    Description,
    /// The operator, in the configuration or on the command line: the origin may be private or this machine.
    Operator,
}

//! A person's decision about a call that waited for an approval. Middleware asks the person and judges the decision.

use callgate_tool::Principal;

callgate_tool::named! {
    /// A person's decision about a call.
    ///
    /// ```
    /// use callgate_executor::{Call, Decision};
    /// # use callgate_tool::{Arguments, Session, ToolCall};
    ///
    /// # let (asked, session) = (ToolCall::new("1", "shop-buy", Arguments::new()), Session::default());
    /// # let (approval, is_allowed) = ("approval_1", true);
    /// let decision = if is_allowed { Decision::Approve } else { Decision::Reject };
    /// let call = Call::new(&asked, &session).with_decision(approval, decision);
    /// assert_eq!(call.decision().map(|decided| decided.decision.as_str()), Some("approve"));
    /// ```
    #[expect(clippy::exhaustive_enums, reason = "a call is made or it is not")]
    pub enum Decision {
        /// The call may be made.
        Approve = "approve",
        /// The call may not be made.
        Reject = "reject",
    }
}

/// Marks a call that a person approved, as an extension: its request is never sent again once a byte of it may have been read.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Approved;

/// A decision that comes with a call: [`Call::with_decision`](crate::Call::with_decision).
///
/// ```
/// use callgate_executor::{Call, Decided, Decision};
/// # use callgate_tool::{Arguments, Session, ToolCall};
///
/// # let (asked, session) = (ToolCall::new("1", "shop-buy", Arguments::new()), Session::default());
/// let mut call = Call::new(&asked, &session).with_decision("approval_1", Decision::Reject);
/// // Middleware takes it: a call whose decision nobody takes is not made.
/// assert_eq!(call.take_decision(), Some(Decided::new("approval_1", Decision::Reject)));
/// assert!(call.decision().is_none());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Decided {
    /// The id under which the call waited.
    pub approval: String,
    /// The decision.
    pub decision: Decision,
    /// The id of the principal that decided, if it is known.
    pub by: Option<String>,
}

impl Decided {
    /// A decision about the call that waits under an id.
    pub fn new(approval: impl Into<String>, decision: Decision) -> Self {
        Self { approval: approval.into(), decision, by: None }
    }

    /// Says who decided. Where only others than the caller may approve, a decision counts if it says somebody else: the
    /// program that makes the call vouches for it.
    ///
    /// ```
    /// use callgate_executor::{Decided, Decision};
    /// use callgate_tool::Principal;
    ///
    /// let decided = Decided::new("approval_1", Decision::Approve).by(&Principal::new("lee"));
    /// assert_eq!(decided.by.as_deref(), Some("lee"));
    /// ```
    #[must_use]
    pub fn by(mut self, principal: &Principal) -> Self {
        self.by = Some(principal.id().to_owned());
        self
    }
}

impl Decision {
    /// Reads a decision from its text.
    ///
    /// ```
    /// use callgate_executor::Decision;
    ///
    /// assert_eq!(Decision::from_text("approve"), Some(Decision::Approve));
    /// assert_eq!(Decision::from_text("yes"), None);
    /// ```
    pub fn from_text(text: &str) -> Option<Self> {
        Self::from_name(text)
    }
}

//! The subject of a person's decision before a call is made: its preview, and the state of what it would change. Middleware asks the
//! person; the backend compares the state when it runs the call.

use callgate_tool::Preview;

/// A call as a person decides about it: [`Backend::review`](crate::Backend::review).
///
/// ```
/// use callgate_executor::Review;
/// use callgate_tool::Preview;
///
/// let review = Review::new(Preview::Text("removes 1 row".to_owned())).with_state_digest([7; 32]);
/// assert_eq!(review.state, Some([7; 32]));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Review {
    /// The effect that the call would have, as the person sees it.
    pub preview: Preview,
    /// The digest of the state that the call would change, if the backend has read it.
    pub state: Option<[u8; 32]>,
}

impl Review {
    /// A review that has read nothing.
    pub fn new(preview: Preview) -> Self {
        Self { preview, state: None }
    }

    /// Sets the digest of the state that the call would change.
    #[must_use]
    pub fn with_state_digest(mut self, state: [u8; 32]) -> Self {
        self.state = Some(state);
        self
    }
}

/// The digest of the state that a person has approved to be changed, as an extension of the call: a backend whose review reads
/// one changes nothing if the state is another.
///
/// ```
/// use callgate_executor::{Call, Reviewed};
///
/// fn is_approved(call: &Call<'_>, state: [u8; 32]) -> bool {
///     call.extensions().get() == Some(&Reviewed(state))
/// }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reviewed(pub [u8; 32]);

//! Results of earlier calls, as arguments name them. Who keeps them, and how long, is the business of `executor`; what
//! they become in a body, of `body`.

use std::fmt;

use callgate_tool::{Handle, StoredResult};

/// The part kept of earlier calls. Asked only where an argument stands for bytes and gives a handle.
///
/// ```
/// use callgate_call::StoredResults;
/// use callgate_tool::{Handle, StoredResult};
///
/// let find = |handle: &Handle| {
///     (handle.as_str() == "result:00ff").then(|| StoredResult::new("text/csv", "a,b".into()))
/// };
/// let kept = StoredResults::new(&find);
/// # drop(kept);
/// ```
#[derive(Clone, Copy)]
pub struct StoredResults<'a>(&'a dyn Fn(&Handle) -> Option<StoredResult>);

impl<'a> StoredResults<'a> {
    /// Nothing is kept.
    pub const NONE: StoredResults<'static> = StoredResults(&|_| None);

    /// Takes the function that finds a result; it answers `None` for a handle that is unknown or has expired.
    pub fn new(find: &'a dyn Fn(&Handle) -> Option<StoredResult>) -> Self {
        Self(find)
    }

    /// The result a text names.
    pub(crate) fn find(self, handle: &str) -> Option<StoredResult> {
        Handle::new(handle).and_then(|handle| (self.0)(&handle))
    }
}

impl fmt::Debug for StoredResults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredResults")
    }
}

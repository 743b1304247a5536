//! Stored results of earlier calls, which arguments may name. `executor` decides who keeps them, and how long; `body`
//! decides how they are written in a body.

use callgate_tool::{Handle, StoredResult};

/// The stored results of earlier calls. They are looked up only if an argument that stands for bytes gives a handle.
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
    /// There are no stored results.
    pub const NONE: StoredResults<'static> = StoredResults(&|_| None);

    /// Takes the function that finds a result; it returns `None` for a handle that is unknown or has expired.
    pub fn new(find: &'a dyn Fn(&Handle) -> Option<StoredResult>) -> Self {
        Self(find)
    }

    pub(crate) fn find(self, handle: &str) -> Option<StoredResult> {
        Handle::new(handle).and_then(|handle| (self.0)(&handle))
    }
}

callgate_secret::opaque!(StoredResults<'_> = "StoredResults");

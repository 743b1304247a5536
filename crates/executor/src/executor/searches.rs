//! Searches among the tools of an executor, and their index. It is made once: by whoever loads tools that will be searched, and
//! otherwise by the first search.

use super::Executor;
use crate::{
    catalog::Entry,
    search::{Found, Search},
};

impl Executor {
    /// The tools that a question means, the best first, among those that `sees` takes. Those that answer what the best need
    /// stand beside them. The first question makes the index, in some milliseconds for a thousand tools.
    ///
    /// ```
    /// # fn find(executor: &callgate_executor::Executor) {
    /// use callgate_executor::Search;
    ///
    /// for found in executor.search(&Search::new("adopt a pet"), |_| true) {
    ///     println!("{} needs {:?}", found.entry.name(), found.needs);
    /// }
    /// # }
    /// ```
    pub fn search<'e>(
        &'e self,
        search: &Search<'_>,
        sees: impl Fn(Entry<'e>) -> bool,
    ) -> Vec<Found<'e>> {
        self.0.finder.find(&self.0.catalog, search, sees)
    }

    /// The bytes that the index for searches takes.
    pub fn search_index_bytes(&self) -> usize {
        self.0.finder.index_size_in_bytes(&self.0.catalog)
    }

    /// Makes the index for searches, unless it is made. A search that comes meanwhile waits for it.
    #[doc(hidden)]
    pub fn make_search_index(&self) {
        self.0.finder.make_index(&self.0.catalog);
    }

    /// Returns true once the index for searches is made.
    #[doc(hidden)]
    pub fn has_search_index(&self) -> bool {
        self.0.finder.has_index()
    }
}

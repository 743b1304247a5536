//! The report on the toolsets of a build, which takes as long as loading their descriptions and is made once.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use callgate_config::Built;
use callgate_tool::Value;

/// The descriptions of a build as reported.
#[derive(Debug, Default)]
pub(crate) struct ReportCache(Mutex<CachedReport>);

#[derive(Debug, Default)]
struct CachedReport {
    built: Weak<Built>,
    toolsets: Arc<Vec<Value>>,
}

impl ReportCache {
    pub(crate) fn toolsets_of(&self, built: &Arc<Built>) -> Option<Arc<Vec<Value>>> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = std::ptr::eq(cached.built.as_ptr(), Arc::as_ptr(built));
        is_same.then(|| Arc::clone(&cached.toolsets))
    }

    pub(crate) fn keep(&self, built: &Arc<Built>, toolsets: Vec<Value>) -> Arc<Vec<Value>> {
        let toolsets = Arc::new(toolsets);
        let kept = CachedReport { built: Arc::downgrade(built), toolsets: Arc::clone(&toolsets) };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        toolsets
    }
}

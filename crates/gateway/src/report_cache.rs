//! The report on the toolsets of a build. Examining their descriptions takes as long as loading them, so that it is done once: a
//! sidecar that starts has done it for the lines that it prints.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use callgate_config::Built;
use callgate_tool::Value;

use crate::admin::ExaminedToolset;

/// The descriptions of a build as reported.
#[derive(Debug, Default)]
pub(crate) struct ReportCache(Mutex<CachedReport>);

#[derive(Debug, Default)]
struct CachedReport {
    built: Weak<Built>,
    /// The descriptions as they were examined, until somebody reads the report.
    examined: Vec<ExaminedToolset>,
    toolsets: Option<Arc<Vec<Value>>>,
}

impl ReportCache {
    pub(crate) fn toolsets_of(&self, built: &Arc<Built>) -> Option<Arc<Vec<Value>>> {
        self.cached_of(built, |cached| cached.toolsets.clone()).flatten()
    }

    /// The examined descriptions of a build, which the cache keeps no longer; none if it has none.
    pub(crate) fn take_examined(&self, built: &Arc<Built>) -> Vec<ExaminedToolset> {
        self.cached_of(built, |cached| std::mem::take(&mut cached.examined)).unwrap_or_default()
    }

    pub(crate) fn keep_examined(&self, built: &Arc<Built>, examined: Vec<ExaminedToolset>) {
        self.keep_report(CachedReport { built: Arc::downgrade(built), examined, toolsets: None });
    }

    pub(crate) fn keep(&self, built: &Arc<Built>, toolsets: Vec<Value>) -> Arc<Vec<Value>> {
        let (toolsets, examined) = (Arc::new(toolsets), Vec::new());
        let built = Arc::downgrade(built);
        self.keep_report(CachedReport { built, examined, toolsets: Some(Arc::clone(&toolsets)) });
        toolsets
    }

    fn keep_report(&self, report: CachedReport) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = report;
    }

    fn cached_of<T>(
        &self,
        built: &Arc<Built>,
        read: impl FnOnce(&mut CachedReport) -> T,
    ) -> Option<T> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::ptr::eq(cached.built.as_ptr(), Arc::as_ptr(built)).then(|| read(&mut cached))
    }
}

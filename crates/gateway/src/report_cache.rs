//! The report on the toolsets of a build. Examining their descriptions takes as long as loading them, so that it is done once: a
//! sidecar that starts has done it for the lines that it prints.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use callgate_config::{Built, BuiltToolset};
use callgate_openapi::{OperationStatus, Report};
use callgate_tool::Value;

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

/// A description after every declaration was built.
#[derive(Debug)]
pub(crate) struct ExaminedToolset {
    /// The findings that are shown, without their places; the operations are counted.
    pub(crate) report: Report,
    pub(crate) n_tokens: usize,
    pub(crate) n_exposed: usize,
    pub(crate) n_degraded: usize,
    pub(crate) n_refused: usize,
    /// The findings beyond those that are shown.
    pub(crate) n_more: usize,
}

impl ExaminedToolset {
    pub(crate) fn examine(toolset: &BuiltToolset) -> Self {
        let (report, n_tokens) = toolset.examined_report();
        Self::from_report(report, n_tokens)
    }

    pub(crate) fn from_report(mut report: Report, n_tokens: usize) -> Self {
        let n_more = report.diagnostics.len().saturating_sub(MOST_FINDINGS);
        report.diagnostics.truncate(MOST_FINDINGS);
        let [n_exposed, n_degraded, n_refused] =
            [OperationStatus::Exposed, OperationStatus::Degraded, OperationStatus::Refused]
                .map(|status| report.count(status));
        report.operations = Vec::new();
        Self { report, n_tokens, n_exposed, n_degraded, n_refused, n_more }
    }
}

impl ReportCache {
    pub(crate) fn cached_toolsets(&self, built: &Arc<Built>) -> Option<Arc<Vec<Value>>> {
        self.read_if_same_build(built, |cached| cached.toolsets.clone()).flatten()
    }

    /// The examined descriptions of a build, which the cache keeps no longer; none if it has none.
    pub(crate) fn take_examined(&self, built: &Arc<Built>) -> Vec<ExaminedToolset> {
        self.read_if_same_build(built, |cached| std::mem::take(&mut cached.examined))
            .unwrap_or_default()
    }

    pub(crate) fn keep_examined(&self, built: &Arc<Built>, examined: Vec<ExaminedToolset>) {
        self.keep_report(CachedReport { built: Arc::downgrade(built), examined, toolsets: None });
    }

    pub(crate) fn keep_toolsets(
        &self,
        built: &Arc<Built>,
        toolsets: Vec<Value>,
    ) -> Arc<Vec<Value>> {
        let (toolsets, examined) = (Arc::new(toolsets), Vec::new());
        let built = Arc::downgrade(built);
        self.keep_report(CachedReport { built, examined, toolsets: Some(Arc::clone(&toolsets)) });
        toolsets
    }

    fn keep_report(&self, report: CachedReport) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = report;
    }

    fn read_if_same_build<T>(
        &self,
        built: &Arc<Built>,
        read: impl FnOnce(&mut CachedReport) -> T,
    ) -> Option<T> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::ptr::eq(cached.built.as_ptr(), Arc::as_ptr(built)).then(|| read(&mut cached))
    }
}

/// More findings than a person reads of one toolset.
pub(crate) const MOST_FINDINGS: usize = 1000;

//! The rights of a call: the part of an executor that its caller may use. Each way in gives them with the call; the catalog decides
//! by them whether the call may be made.

use std::{collections::BTreeSet, sync::Arc};

/// The part of an executor that the caller of a call may use: everything, unless it is limited.
///
/// ```
/// use std::collections::BTreeSet;
///
/// use callgate_executor::CallRights;
///
/// let toolsets = BTreeSet::from(["shop".to_owned()]);
/// let rights = CallRights::of_toolsets(Some(toolsets.into()));
/// assert!(rights.may_use("shop") && !rights.may_use("bank"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct CallRights {
    /// The toolsets; `None` for all.
    toolsets: Option<Arc<BTreeSet<String>>>,
    /// The only toolset whose tools are called, whatever results may be read.
    only: Option<Arc<str>>,
    /// Limits calls and the reading of their results.
    of_caller: Option<Condition>,
    /// Limits calls alone.
    of_calls: Option<Condition>,
}

/// Asked at the moment of each call, with the toolset and the tool.
#[derive(Clone)]
struct Condition(Arc<IsTrue>);

type IsTrue = dyn Fn(&str, &str) -> bool + Send + Sync;

impl CallRights {
    /// Limits a caller to these toolsets; `None` for all.
    pub fn of_toolsets(toolsets: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { toolsets, ..Self::default() }
    }

    /// Limits the calls to tools of one toolset. Results of the others can still be read.
    #[must_use]
    pub fn with_calls_only_in(mut self, toolset: Option<&str>) -> Self {
        self.only = toolset.map(Arc::from);
        self
    }

    /// Limits a caller to toolsets and tools for which this is true: when a call is made, and when its result is read later.
    #[must_use]
    pub fn with_access_condition(
        mut self,
        is_true: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.of_caller = Some(Condition::and_condition(self.of_caller.take(), is_true));
        self
    }

    /// Limits the calls to toolsets and tools for which this is true when a call is made. Results of the others can still be
    /// read.
    #[must_use]
    pub fn with_call_condition(
        mut self,
        is_true: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.of_calls = Some(Condition::and_condition(self.of_calls.take(), is_true));
        self
    }

    /// True if the caller may use the tools of a toolset, and read their results.
    pub fn may_use(&self, toolset: &str) -> bool {
        self.toolsets.as_ref().is_none_or(|toolsets| toolsets.contains(toolset))
    }

    /// True if the caller may read results of a tool now.
    pub(crate) fn may_read(&self, toolset: &str, tool: &str) -> bool {
        self.may_use(toolset) && Condition::holds(self.of_caller.as_ref(), toolset, tool)
    }

    /// True if tools of a toolset can be called.
    pub fn may_call(&self, toolset: &str) -> bool {
        self.may_use(toolset) && self.only.as_ref().is_none_or(|only| **only == *toolset)
    }

    /// True if a tool of a toolset may be called now.
    pub(crate) fn allows_call(&self, toolset: &str, tool: &str) -> bool {
        self.may_call(toolset)
            && Condition::holds(self.of_caller.as_ref(), toolset, tool)
            && Condition::holds(self.of_calls.as_ref(), toolset, tool)
    }
}

impl Condition {
    fn and_condition(
        before: Option<Self>,
        is_true: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |toolset: &str, tool: &str| {
            Self::holds(before.as_ref(), toolset, tool) && is_true(toolset, tool)
        }))
    }

    fn holds(condition: Option<&Self>, toolset: &str, tool: &str) -> bool {
        condition.is_none_or(|Self(is_true)| is_true(toolset, tool))
    }
}

callgate_secret::opaque!(Condition = "Condition");

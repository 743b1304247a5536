//! An opened toolset as the next build may use it again.

use std::sync::Arc;

use callgate_executor::Backend;
use callgate_tool::ToolName;

use crate::{kept_value::Kept, settings::KindSettings};

/// A toolset as it was opened last: its tools stay in use while its source is away.
#[derive(Clone, Debug)]
pub struct KeptToolset {
    /// The name.
    pub name: String,
    pub(crate) settings: Arc<dyn KindSettings>,
    /// The names of the selected tools without edits.
    pub(crate) names: Vec<ToolName>,
    /// The tools as the source described them.
    pub(crate) backends: Vec<Arc<dyn Backend>>,
    pub(crate) kept: Option<Kept>,
}

impl KeptToolset {
    /// The tools, if equal settings select tools of these names.
    pub(crate) fn backends_if_unchanged(
        &self,
        settings: &dyn KindSettings,
        names: &[ToolName],
    ) -> Option<Vec<Arc<dyn Backend>>> {
        let is_same = self.names == names && self.settings.is_same(settings);
        (is_same && !self.backends.is_empty()).then(|| self.backends.clone())
    }
}

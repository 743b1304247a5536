//! A caller's wishes about an answer, beyond the part that the toolset gives a model: all of it, or the bytes as they
//! are. It travels with the call, so that a toolset serves people and models at the same time.

use std::sync::Arc;

use callgate_call::{Selection, Shape};

/// The form of one call's answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// The selection of the answer that is shown, without a budget; `None` for a model's part.
    pub(crate) whole: Option<Arc<Selection>>,
    /// True if the bytes of a success are handed on as they come.
    pub(crate) is_raw: bool,
}

impl Wanted {
    /// The form of an answer, where a model would get `own`.
    pub(crate) fn shape(&self, own: &Arc<Shape>) -> Arc<Shape> {
        let Some(selection) = &self.whole else { return Arc::clone(own) };
        let mut shape = Shape::clone(own);
        shape.selection = Selection::clone(selection);
        shape.result_bytes = usize::MAX;
        shape.media_bytes = usize::MAX;
        Arc::new(shape)
    }
}

//! A caller's wishes for a response beyond the part that the toolset gives a model: the whole, or the raw bytes. They
//! travel with the call, so that a toolset serves people and models at once.

use std::sync::Arc;

use callgate_call::{Selection, Shape};

/// The wanted form of one call's result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// The selection of the response that is shown, without a budget; `None` for a model's part.
    pub(crate) whole: Option<Arc<Selection>>,
    /// True if the bytes of a successful response are handed on as they arrive.
    pub(crate) is_raw: bool,
}

impl Wanted {
    /// The wanted shape, made from the shape `own` that a model would get.
    pub(crate) fn shape(&self, own: &Arc<Shape>) -> Arc<Shape> {
        let Some(selection) = &self.whole else { return Arc::clone(own) };
        let mut shape = Shape::clone(own);
        shape.selection = Selection::clone(selection);
        shape.result_bytes = usize::MAX;
        shape.media_bytes = usize::MAX;
        Arc::new(shape)
    }
}

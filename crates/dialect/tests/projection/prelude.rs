//! Names that more than one module here uses.

pub(crate) use callgate_call::{Evaluator, Verdict};
pub(crate) use callgate_dialect::{Projected, Projection, project, restore};
pub(crate) use callgate_openapi::{Document, Limits, LoadOptions, load};
pub(crate) use callgate_tool::{Object, Tool, Value, json};

pub(crate) use crate::{laws::made, takes::wrong};

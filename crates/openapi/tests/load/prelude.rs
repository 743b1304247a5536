//! Names that more than one module here uses.

pub(crate) use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use callgate_openapi::{
    BodyKind, Budget, Code, Document, Limits, LoadOptions, Loaded, Operation, OperationStatus,
    Placement, SessionInputs, load,
};
pub(crate) use callgate_tool::{Object, Value, json};
pub(crate) use callgate_tree::{Diagnostic, Node, Severity, read};

pub(crate) use crate::documents::{inputs, lines, loaded};

//! The reason why no value meets a schema, and its finding.

use std::sync::Arc;

use callgate_tree::Path;

use crate::{code::Code, findings::Findings, schema::View};

#[derive(Clone, Debug)]
pub(in crate::schema) struct Conflict {
    at: Arc<str>,
    message: String,
    help: &'static str,
}

impl Conflict {
    pub(super) fn new(at: &Path<'_>, message: String) -> Self {
        Self { at: at.pointer(), message, help: ONE_OF_TWO }
    }

    pub(super) fn with_help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Reports the conflict; that of a response refuses no call.
    pub(super) fn report(self, view: View, findings: &mut Findings) {
        let Self { at, message, help } = self;
        match view {
            View::Output => findings.note(Code::UnsatisfiableSchema, at, message, help),
            _ => findings.warning(Code::UnsatisfiableSchema, at, message, help),
        }
    }
}

const ONE_OF_TWO: &str = "correct one of the two, for example by an overlay; no value meets both";

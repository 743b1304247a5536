//! The load report: what became of each operation, and every finding. It holds pointers; lines and columns are found
//! when someone wants to see them.

use std::{collections::BTreeSet, sync::Arc};

use callgate_tool::ToolName;

use crate::{
    diagnostic::{Diagnostic, Severity},
    operation::Operation,
    selection::Unmatched,
};

/// What became of a description.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Every operation that is selected, in the order of the description.
    pub operations: Vec<OperationReport>,
    /// How many operations are not selected: they are named like the others, but neither read nor offered.
    pub not_selected: usize,
    /// The entries of the selection that no operation matches.
    pub unmatched: Vec<Unmatched>,
    /// Every finding, in the order it was made.
    pub diagnostics: Vec<Diagnostic>,
}

/// What became of one operation.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OperationReport {
    /// The HTTP method, in capitals.
    pub method: String,
    /// The path template as the description writes it.
    pub path: String,
    /// The `operationId` as the description writes it.
    pub operation_id: Option<String>,
    /// The tool's name; none when it is refused.
    pub tool: Option<ToolName>,
    /// Whether it is offered.
    pub status: OperationStatus,
}

/// Whether an operation is offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever counts operations must handle a new one")]
pub enum OperationStatus {
    /// Offered, but something was lost or guessed.
    Degraded,
    /// Offered as it is described.
    Exposed,
    /// Not offered.
    Refused,
}

impl Report {
    /// How many operations have this status.
    pub fn count(&self, status: OperationStatus) -> usize {
        self.operations.iter().filter(|operation| operation.status == status).count()
    }

    /// Adds what is found when every schema of these operations is built, which loading alone does not do.
    pub fn examine(&mut self, operations: &[Arc<Operation>]) {
        let key = |found: &Diagnostic| {
            (found.code, found.file.clone(), found.pointer.clone(), found.operation.clone())
        };
        let known: BTreeSet<_> = self.diagnostics.iter().map(key).collect();
        let mut degraded = BTreeSet::new();
        for operation in operations {
            let diagnostics = operation.schema_diagnostics();
            if diagnostics.iter().any(|diagnostic| diagnostic.severity >= Severity::Warning) {
                degraded.insert(&operation.tool_name);
            }
            self.diagnostics
                .extend(diagnostics.into_iter().filter(|found| !known.contains(&key(found))));
        }
        for report in &mut self.operations {
            if report.tool.as_ref().is_some_and(|tool| degraded.contains(tool)) {
                report.status = OperationStatus::Degraded;
            }
        }
    }
}

impl OperationReport {
    /// The operation as findings name it: `GET /pets/{petId}`.
    pub fn label(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

impl OperationStatus {
    /// `degraded`, `exposed` or `refused`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Degraded => "degraded",
            Self::Exposed => "exposed",
            Self::Refused => "refused",
        }
    }
}

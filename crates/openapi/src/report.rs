//! The load report: what became of each operation, and every finding. It holds pointers; lines and columns are found
//! when someone wants to see them.

use callgate_tool::ToolName;

use crate::diagnostic::Diagnostic;

/// What became of a description.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Every operation, in the order of the description.
    pub operations: Vec<OperationReport>,
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

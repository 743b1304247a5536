//! The load report: the status of each operation, and every finding. It holds pointers; lines and columns are computed
//! when a reader needs them.

mod collector;

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::Arc,
};

use callgate_tool::{Tool, ToolName};
use callgate_tree::{CodeName, Diagnostic, Severity};

use crate::{
    budget::{Budget, HELP_WITH_ALL},
    code::Code,
    edit::FaultyEdit,
    operation::{DeclaredTool, Operation},
    selection::Unmatched,
};

pub(crate) use collector::FindingCollector;

/// The report on a description: each of its operations, and the findings.
///
/// ```
/// use callgate_openapi::{OperationStatus, Report};
///
/// fn told(report: &Report) {
///     for operation in &report.operations {
///         if operation.status == OperationStatus::Refused {
///             println!("{} {} is no tool", operation.method, operation.path);
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Every selected operation, in the order of the description.
    pub operations: Vec<OperationReport>,
    /// The number of operations that are not selected: they are named like the others, but neither read nor offered.
    pub not_selected: usize,
    /// The entries of the selection that no operation matches.
    #[doc(hidden)]
    pub unmatched: Vec<Unmatched>,
    /// The edits of tools that cannot be applied as they stand.
    #[doc(hidden)]
    pub edits: Vec<FaultyEdit>,
    /// All findings, in the order they were made; beyond a limit they are only counted.
    pub diagnostics: Vec<Diagnostic>,
    /// The steps that making the tools took, of those that [`Limits::effort`](crate::Limits::effort) allows.
    pub steps: usize,
}

/// The report on one operation.
///
/// ```
/// use callgate_openapi::{Document, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {operationId: pets/list}}}";
/// let document = Document::read(text, &Default::default())?.value;
/// let report = load(&document, &Default::default()).report;
/// let operation = &report.operations[0];
/// assert_eq!(operation.label(), "GET /pets");
/// assert_eq!(operation.operation_id.as_deref(), Some("pets/list"));
/// assert_eq!(operation.tool.as_ref().map(|tool| tool.as_str()), Some("pets_list"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OperationReport {
    /// The HTTP method, in capitals.
    pub method: http::Method,
    /// The path template as the description writes it.
    pub path: Arc<str>,
    /// The `operationId` as the description writes it.
    pub operation_id: Option<Arc<str>>,
    /// The tool's name; `None` if the operation is refused.
    pub tool: Option<ToolName>,
    /// The name that the tool would have; `None` if the operation is offered, or no name is legal.
    pub refused_tool: Option<ToolName>,
    /// The status: offered, degraded or refused.
    pub status: OperationStatus,
}

callgate_tool::named! {
    /// The status of an operation: offered, degraded or refused.
    ///
    /// ```
    /// use callgate_openapi::{Document, OperationStatus, load};
    ///
    /// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
    /// let text = b"openapi: 3.1.0
    /// servers: [{url: https://api.example.com}]
    /// paths:
    ///   /pets: {get: {description: Lists the pets.}}
    ///   /pets/{id}: {get: {parameters: [{$ref: '#/components/parameters/id'}]}}";
    /// let document = Document::read(text, &Default::default())?.value;
    /// let report = load(&document, &Default::default()).report;
    /// assert_eq!(report.count(OperationStatus::Exposed), 1);
    /// assert_eq!(report.operations[1].status.as_str(), "degraded", "the reference leads nowhere");
    /// # Ok(())
    /// # }
    /// ```
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum OperationStatus {
        /// Offered, but something was lost or guessed.
        Degraded = "degraded",
        /// Offered as described.
        Exposed = "exposed",
        /// Not offered.
        Refused = "refused",
    }
}

impl Report {
    /// The number of operations with this status.
    pub fn count(&self, status: OperationStatus) -> usize {
        self.operations.iter().filter(|operation| operation.status == status).count()
    }

    /// Adds the findings of building every schema of these operations, which loading alone does not do. Each
    /// declaration is passed to `built` and kept only if it was kept before; so are its definitions. An operation whose
    /// declaration exceeds its limit is refused, and a schema of responses that exceeds its limit is left out. Schemas
    /// of arguments that exceed theirs are not examined, and the report says for how many operations.
    #[doc(hidden)]
    pub fn add_schema_findings(
        &mut self,
        operations: &[Arc<Operation>],
        mut built: impl FnMut(&Operation, &Tool),
    ) {
        let reported_keys: BTreeSet<_> = self.diagnostics.iter().map(finding_key).collect();
        let mut gathered = FindingCollector::new(mem::take(&mut self.diagnostics));
        let mut statuses = BTreeMap::new();
        let budget =
            || operations.first().map_or_else(Budget::default, |one| one.new_declaration_budget());
        let (mut declarations, mut outputs, mut arguments) = (budget(), budget(), budget());
        let mut n_unexamined = 0;
        for operation in operations {
            let declared = operation.declaration_with_findings(&mut declarations);
            let DeclaredTool { tool, mut diagnostics } = match declared {
                Ok(declared) => operation.with_output(declared, &mut outputs),
                Err(refusal) => {
                    statuses.insert(&operation.tool_name, OperationStatus::Refused);
                    gathered.extend(vec![*refusal]);
                    continue;
                }
            };
            built(operation, &tool);
            // Two large schemas are not held at once.
            drop(tool);
            if arguments.is_spent() {
                n_unexamined += 1;
            } else {
                let more = operation.argument_findings(&mut arguments);
                let more = more.into_iter().filter(|finding| !diagnostics.contains(finding));
                diagnostics.extend(more.collect::<Vec<_>>());
            }
            if diagnostics.iter().any(|diagnostic| diagnostic.severity >= Severity::Warning) {
                statuses.insert(&operation.tool_name, OperationStatus::Degraded);
            }
            diagnostics.retain(|finding| !reported_keys.contains(&finding_key(finding)));
            gathered.extend(diagnostics);
        }
        if let Some(operation) = operations.first() {
            operation.drop_definitions();
        }
        if n_unexamined > 0 {
            gathered.extend(vec![too_many_steps(arguments.most_steps(), n_unexamined)]);
        }
        self.diagnostics = gathered.finish();
        for report in &mut self.operations {
            let status = report.tool.as_ref().and_then(|tool| statuses.get(tool));
            report.status = status.copied().unwrap_or(report.status);
            if report.status == OperationStatus::Refused
                && let Some(tool) = report.tool.take()
            {
                report.refused_tool = Some(tool);
            }
        }
    }
}

/// The key of a finding; findings with equal keys are repetitions.
fn finding_key(diagnostic: &Diagnostic) -> (CodeName, Option<Arc<str>>, String, Option<String>) {
    (
        diagnostic.code,
        diagnostic.file.clone(),
        diagnostic.pointer.clone(),
        diagnostic.operation.clone(),
    )
}

fn too_many_steps(most: usize, unexamined: usize) -> Diagnostic {
    let message = format!(
        "expected schemas of arguments that are built in at most {most} steps in total, got more; those of {unexamined} operations were not examined"
    );
    Diagnostic::new(Code::TooComplex, Severity::Warning, message, HELP_WITH_ALL)
}

impl OperationReport {
    /// The operation as findings name it: `GET /pets/{petId}`.
    pub fn label(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

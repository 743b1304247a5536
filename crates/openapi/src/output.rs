//! Builds the schema of an operation's response. Models do not see it and it may reach nearly all definitions, so it is
//! built on demand; a schema that exceeds its limit is left out, and the report says so.

use std::sync::Arc;

use callgate_tool::{Object, Schema, Tool, Value};
use callgate_tree::{Diagnostic, Path, Severity};

use crate::{
    blueprint::{Blueprint, Common, Origin},
    budget::{Budget, effort_refusal},
    findings::Findings,
    repetition::drop_repeated_title,
    schema::{Builder, View},
};

/// The schema of responses, if it is within its limit, and the findings made while it was built.
#[derive(Debug)]
pub(crate) struct BuiltOutput {
    pub(crate) schema: Option<Schema>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn with_lazy_output(tool: Tool, blueprint: &Blueprint) -> Tool {
    let Some(output) = blueprint.output.clone() else { return tool };
    let common = Arc::clone(&blueprint.common);
    let operation_id = blueprint.operation.node.text("operationId").map(ToOwned::to_owned);
    tool.with_lazy_output_schema(move || {
        let operation_id = operation_id.as_deref();
        let source = OutputSource { output: &output, operation_id, pointer: "", label: "" };
        common
            .outputs
            .spend_through_budget_copy(|budget| build_output_schema(&common, source, budget).schema)
    })
}

pub(crate) fn built_output(blueprint: &Blueprint, budget: &mut Budget) -> Option<BuiltOutput> {
    let Blueprint { common, label, operation, .. } = blueprint;
    let operation_id = operation.node.text("operationId");
    let output = blueprint.output.as_ref()?;
    let source = OutputSource { output, operation_id, pointer: &operation.pointer, label };
    Some(build_output_schema(common, source, budget))
}

#[derive(Clone, Copy)]
struct OutputSource<'a> {
    output: &'a Origin,
    operation_id: Option<&'a str>,
    pointer: &'a str,
    label: &'a str,
}

fn build_output_schema(
    common: &Common,
    source: OutputSource<'_>,
    budget: &mut Budget,
) -> BuiltOutput {
    let OutputSource { output, operation_id, pointer, label } = source;
    let most = budget.steps_per_declaration();
    budget.read_within_budget(&common.document, |document| {
        let built = common.schema_cache();
        let findings = Findings::for_operation(label.to_owned());
        let mut builder = Builder::new(document, &built, View::Output).with_findings(findings);
        let mut schema = builder.build_schema(&output.node, &Path::at(&output.pointer));
        // FastAPI makes the title of a response from the id of its operation.
        if let Some(operation_id) = operation_id {
            drop_repeated_title(&mut schema, &format!("Response {operation_id}"));
        }
        let (schema, findings) = match schema {
            Value::Object(members) => builder.finish_with_definitions(members),
            _ => builder.finish_with_definitions(Object::new()),
        };
        if document.is_spent() || document.recorded_lack().is_some() {
            let refused = effort_refusal(document, most, pointer, label);
            let message = format!("{}; the output schema is left out", refused.message);
            let left_out = Diagnostic { severity: Severity::Warning, message, ..refused };
            return BuiltOutput { schema: None, diagnostics: vec![left_out] };
        }
        BuiltOutput { schema: Some(schema), diagnostics: findings.into_diagnostics() }
    })
}

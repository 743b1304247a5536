//! Builds the schema of an operation's response. Models do not see it and it may reach nearly all definitions, so it is
//! built on demand; a schema that exceeds its limit is left out, and the report says so.

use std::sync::Arc;

use callgate_tool::{Object, Schema, Tool, Value};
use callgate_tree::{Diagnostic, Path, Severity};

use crate::{
    blueprint::{Blueprint, Common, Origin},
    budget::{Budget, refusal},
    findings::Findings,
    schema::{Builder, View},
};

/// The schema of responses, if it is within its limit, and the findings made while it was built.
#[derive(Debug)]
pub(crate) struct BuiltOutput {
    pub(crate) schema: Option<Schema>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The tool with the schema of its responses, which is built on first use.
pub(crate) fn with_lazy(tool: Tool, blueprint: &Blueprint) -> Tool {
    let Some(output) = blueprint.output.clone() else { return tool };
    let common = Arc::clone(&blueprint.common);
    tool.with_lazy_output_schema(move || {
        common.outputs.with(|budget| built_of(&common, &output, budget, "", "").schema)
    })
}

/// The schema of an operation's response, if its description has one.
pub(crate) fn built(blueprint: &Blueprint, budget: &mut Budget) -> Option<BuiltOutput> {
    let Blueprint { common, label, operation, .. } = blueprint;
    Some(built_of(common, blueprint.output.as_ref()?, budget, &operation.pointer, label))
}

/// Builds the schema of the operation at a pointer.
fn built_of(
    common: &Common,
    output: &Origin,
    budget: &mut Budget,
    pointer: &str,
    label: &str,
) -> BuiltOutput {
    let most = budget.of_one();
    budget.lend(&common.document, |document| {
        let built = common.built();
        let findings = Findings::about(label.to_owned());
        let mut builder = Builder::new(document, &built, View::Output).reporting_to(findings);
        let schema = builder.schema(&output.node, &Path::at(&output.pointer));
        let (schema, findings) = match schema {
            Value::Object(members) => builder.close(members),
            _ => builder.close(Object::new()),
        };
        if document.is_spent() || document.lacking().is_some() {
            let refused = refusal(document, most, pointer, label);
            let message = format!("{}; the output schema is left out", refused.message);
            let left_out = Diagnostic { severity: Severity::Warning, message, ..refused };
            return BuiltOutput { schema: None, diagnostics: vec![left_out] };
        }
        BuiltOutput { schema: Some(schema), diagnostics: findings.into_diagnostics() }
    })
}

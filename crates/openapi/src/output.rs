//! Builds the schema of what an operation answers. Models are not shown it and it may reach nearly all definitions, so it is
//! built when it is asked for; one that takes more than it may is left out, and a report says so.

use std::sync::Arc;

use callgate_tool::{Object, Schema, Tool, Value};
use callgate_tree::{Diagnostic, Path, Severity};

use crate::{
    allowance::{Allowance, refusal},
    blueprint::{Blueprint, Common, Origin},
    document::Document,
    findings::Findings,
    schema::{Builder, View},
};

/// The schema of answers, where there is room for it, and what was found while building it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) schema: Option<Schema>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The tool with the schema of its answers, which is built when first asked for.
pub(crate) fn with_lazy(tool: Tool, blueprint: &Blueprint) -> Tool {
    let Some(output) = blueprint.output.clone() else { return tool };
    let common = Arc::clone(&blueprint.common);
    tool.with_lazy_output_schema(move || {
        let asked = Asked { common: &common, output: &output, pointer: "", label: "" };
        common.outputs.with(|allowance| asked.built(allowance).schema)
    })
}

/// The schema of what an operation answers, where its description has one.
pub(crate) fn built(blueprint: &Blueprint, allowance: &mut Allowance) -> Option<Answered> {
    let Blueprint { common, label, operation, .. } = blueprint;
    let (output, pointer) = (blueprint.output.as_ref()?, &*operation.pointer);
    Some(Asked { common, output, pointer, label }.built(allowance))
}

/// The schema that is asked for, and the operation it belongs to.
struct Asked<'a> {
    common: &'a Common,
    output: &'a Origin,
    pointer: &'a str,
    label: &'a str,
}

impl Asked<'_> {
    fn built(&self, allowance: &mut Allowance) -> Answered {
        let most = allowance.of_one();
        allowance.lend(&self.common.document, |document| self.built_of(document, most))
    }

    fn built_of(&self, document: &Document, most: usize) -> Answered {
        let built = self.common.built();
        let findings = Findings::about(self.label.to_owned());
        let mut builder = Builder::new(document, &built, View::Output).reporting_to(findings);
        let schema = builder.schema(&self.output.node, &Path::at(&self.output.pointer));
        let (schema, findings) = match schema {
            Value::Object(members) => builder.close(members),
            _ => builder.close(Object::new()),
        };
        if document.is_spent() || document.lacking().is_some() {
            let refused = refusal(document, most, self.pointer, self.label);
            let message = format!("{}; the output schema is left out", refused.message);
            let left_out = Diagnostic { severity: Severity::Warning, message, ..refused };
            return Answered { schema: None, diagnostics: vec![left_out] };
        }
        Answered { schema: Some(schema), diagnostics: findings.into_diagnostics() }
    }
}

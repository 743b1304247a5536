//! The operator's changes to tools that no description has (`tools: {edit: …}`).

use std::sync::Arc;

use callgate_executor::{Backend, Builder, EditedTool};
use callgate_openapi::edited_tool_name;
use callgate_settings::Reader;
use callgate_tool::{EditFault, ToolName};

use crate::{
    edit_faults::{report_edit_fault, unknown_tool_fault},
    named_tool::{CommonSettings, NamedTool},
    tool_rule::{EditRule, ToolRule},
};

/// A tool, and its declaration if an operator changed it.
#[derive(Debug)]
pub struct EditedBackend {
    /// The name without the toolset, as the configuration names it.
    pub short: String,
    /// The tool, by its name without the edit.
    pub backend: Arc<dyn Backend>,
    /// The changed declaration.
    pub edit: Option<EditedTool>,
}

impl EditedBackend {
    /// Adds the tool to an executor.
    pub fn add_to(self, builder: Builder) -> Builder {
        let Self { backend, edit, .. } = self;
        match edit {
            Some(edit) => builder.edited_shared_backend(backend, edit),
            None => builder.shared_backend(backend),
        }
    }
}

/// The tools, each as an edit declares it. Faults of the edits are reported.
pub(crate) fn apply_edits(
    reader: &mut Reader,
    toolset: &CommonSettings<'_>,
    tools: &[NamedTool],
    backends: &[Arc<dyn Backend>],
) -> Vec<EditedBackend> {
    for rule in toolset.edits {
        if let Some(fault) = unused_edit_fault(toolset, tools, rule) {
            report_edit_fault(reader, &rule.pointer, &fault);
        }
    }
    let mut edited = Vec::new();
    for backend in backends {
        let is_it = |tool: &&NamedTool| tool.unedited_name(toolset).as_ref() == Ok(backend.name());
        let tool = tools.iter().find(is_it);
        let short = tool.map(|tool| tool.short.clone()).unwrap_or_default();
        let edit =
            tool.and_then(|tool| Some((tool.edit(toolset)?, tool.name_for_model(toolset).ok()?)));
        let edit = edit.and_then(|(rule, name)| apply_edit(reader, toolset, rule, name, backend));
        edited.push(EditedBackend { short, backend: Arc::clone(backend), edit });
    }
    edited
}

fn apply_edit(
    reader: &mut Reader,
    toolset: &CommonSettings<'_>,
    rule: &EditRule,
    name: ToolName,
    backend: &Arc<dyn Backend>,
) -> Option<EditedTool> {
    let ToolRule { pointer, rule: edit, .. } = rule;
    if let Some(Err(fault)) = edited_tool_name(toolset.prefix, edit) {
        report_edit_fault(reader, pointer, &fault);
    }
    let (edited, faults) = EditedTool::new(backend.declaration()?, name, edit);
    for fault in &faults {
        report_edit_fault(reader, pointer, fault);
    }
    Some(edited)
}

/// The fault of an edit that changes no tool.
fn unused_edit_fault(
    toolset: &CommonSettings<'_>,
    tools: &[NamedTool],
    rule: &EditRule,
) -> Option<EditFault> {
    let name = &rule.tool;
    if toolset.functions.contains(name) {
        return None;
    }
    let Some(tool) = tools.iter().find(|tool| tool.has_unedited_name(toolset, name)) else {
        let names = tools.iter().map(|tool| tool.short.clone());
        let names: Vec<_> = names.chain(toolset.functions.iter().cloned()).collect();
        return Some(unknown_tool_fault(name, &names));
    };
    let is_own = tool.edit(toolset).is_some_and(|own| std::ptr::eq(own, rule));
    let message = format!("expected one edit of a tool, got another one: `{name}`");
    (!is_own).then(|| EditFault::impossible_change("", message, "put both into one"))
}

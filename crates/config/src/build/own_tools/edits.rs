//! The operator's changes to the tools of a database (`tools: {edit: …}`).

use std::sync::Arc;

use callgate_executor::{Backend, EditedTool};
use callgate_openapi::renamed;
use callgate_settings::Reader;
use callgate_tool::{EditFault, ToolName};

use crate::{
    build::{
        edit_faults::{complain, unknown_tool},
        functions,
        own_tools::{DatabaseBackend, DatabaseTool},
    },
    tool_rules::{EditRule, ToolRule},
    toolset::ToolsetConfig,
};

/// The tools, each as an edit declares it. Faults of the edits are reported.
pub(in crate::build) fn applied(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    tools: &[DatabaseTool<'_>],
    backends: &[Arc<dyn Backend>],
) -> Vec<DatabaseBackend> {
    for rule in &toolset.edits {
        if let Some(fault) = unused(toolset, tools, rule) {
            complain(reader, &rule.pointer, &fault);
        }
    }
    let mut edited = Vec::new();
    for backend in backends {
        let is_it =
            |tool: &&DatabaseTool<'_>| tool.former_name(toolset).as_ref() == Ok(backend.name());
        let tool = tools.iter().find(is_it);
        let edit = tool.and_then(|tool| Some((tool.edit(toolset)?, tool.name(toolset).ok()?)));
        let edit = edit.and_then(|(rule, name)| one(reader, toolset, rule, name, backend));
        edited.push(DatabaseBackend { backend: Arc::clone(backend), edit });
    }
    edited
}

fn one(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    rule: &EditRule,
    name: ToolName,
    backend: &Arc<dyn Backend>,
) -> Option<EditedTool> {
    let ToolRule { pointer, rule: edit, .. } = rule;
    if let Some(Err(fault)) = renamed(toolset.prefix.as_ref(), edit) {
        complain(reader, pointer, &fault);
    }
    let (edited, faults) = EditedTool::new(backend.declaration()?, name, edit);
    for fault in &faults {
        complain(reader, pointer, fault);
    }
    Some(edited)
}

/// The fault of an edit that changes no tool.
fn unused(
    toolset: &ToolsetConfig,
    tools: &[DatabaseTool<'_>],
    rule: &EditRule,
) -> Option<EditFault> {
    let name = &rule.tool;
    if toolset.functions.iter().any(|function| functions::is_called(toolset, function, name)) {
        return None;
    }
    let Some(tool) = tools.iter().find(|tool| tool.is_meant(toolset, name)) else {
        let names = tools.iter().map(|tool| tool.short.clone());
        let names: Vec<_> = names.chain(functions::all_names(toolset)).collect();
        return Some(unknown_tool(name, &names));
    };
    let is_own = tool.edit(toolset).is_some_and(|own| std::ptr::eq(own, rule));
    let message = format!("expected one edit of a tool, got another one: `{name}`");
    (!is_own).then(|| EditFault::unfit("", message, "put both into one"))
}

//! Checks the edits of tools (`tools: {edit: …}`) against the loaded descriptions: that each tool and argument exists, that
//! values fit, and that new names are free.

use std::collections::BTreeSet;

use callgate_call::edit_faults;
use callgate_executor::{Callable, Toolset};
use callgate_kind::{EditRule, ToolRule, report_edit_fault, unknown_tool_fault};
use callgate_openapi::{FaultyEdit, Report, edited_tool_name};
use callgate_settings::Reader;
use callgate_tool::{EditFault, EditFaultKind, ToolName};
use callgate_tree::SettingFinding;

use super::{functions, own_tools::OwnTool};
use crate::toolset::ToolsetConfig;

/// Reports the faults of all edits of a toolset with a description, but for those of its functions.
pub(super) fn report_faulty_edits(
    reader: &mut Reader,
    config: &ToolsetConfig,
    report: &Report,
    callables: &[Callable],
) {
    for FaultyEdit { tool, fault, .. } in &report.edits {
        let Some(rule) = config.edits.iter().find(|rule| rule.tool == *tool) else { continue };
        let is_unknown = fault.pointer.is_empty() && fault.kind == EditFaultKind::Gone;
        let unknown =
            is_unknown.then(|| unknown_tool_fault(tool, &functions::all_function_names(config)));
        let unknown = unknown.filter(|fault| fault.kind == EditFaultKind::Misspelt);
        report_edit_fault(reader, &rule.pointer, unknown.as_ref().unwrap_or(fault));
    }
    for callable in callables {
        let operation = &callable.operation;
        let is_meant = |rule: &&EditRule| operation.is_called(&rule.tool);
        let Some(rule) = config.edits.iter().find(is_meant) else { continue };
        for fault in edit_faults(operation) {
            report_edit_fault(reader, &rule.pointer, &fault);
        }
    }
}

/// Reports new names that tools of other toolsets or functions have, and returns them. Within a description the load of it
/// reports them.
pub(super) fn report_taken_names(
    reader: &mut Reader,
    configs: &[ToolsetConfig],
    toolsets: &[Toolset],
    own: &[OwnTool],
) -> BTreeSet<ToolName> {
    let operations = toolsets.iter().flat_map(|toolset| &toolset.operations);
    let names = operations.map(|callable| &callable.operation.tool_name);
    let names: Vec<&ToolName> = names.chain(own.iter().map(|tool| &tool.name)).collect();
    let mut taken = BTreeSet::new();
    for config in configs {
        for ToolRule { pointer, rule, .. } in &config.edits {
            let Some(Ok(name)) = edited_tool_name(config.prefix.as_ref(), rule) else { continue };
            if names.iter().filter(|tool_name| ***tool_name == name).count() < 2 {
                continue;
            }
            let pointer_of_name = format!("{pointer}/name");
            let is_reported = |complaint: &SettingFinding| complaint.pointer == pointer_of_name;
            if !reader.complaints.iter().any(is_reported) {
                let message = format!(
                    "expected a name that no other tool has, got that of another one: `{name}`"
                );
                let fault = EditFault::impossible_change("/name", message, "choose another");
                report_edit_fault(reader, pointer, &fault.with_kind(EditFaultKind::Taken));
            }
            taken.insert(name);
        }
    }
    taken
}

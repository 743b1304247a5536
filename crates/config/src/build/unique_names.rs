//! Checks that no two tools of a configuration have one name.

use std::collections::BTreeSet;

use callgate_executor::Toolset;
use callgate_kind::KindCode;
use callgate_settings::Reader;

use super::{edits, own_tools::OwnTool};
use crate::toolset::ToolsetConfig;

/// Reports names that two tools have, unless the edit that gave one of them is reported.
pub(super) fn report_duplicate_names(
    reader: &mut Reader,
    configs: &[ToolsetConfig],
    toolsets: &[Toolset],
    own: &[OwnTool],
) {
    let reported = edits::report_taken_names(reader, configs, toolsets, own);
    let mut seen_names = BTreeSet::new();
    for callable in toolsets.iter().flat_map(|toolset| &toolset.operations) {
        let operation = &callable.operation;
        if !seen_names.insert(&operation.tool_name) && !reported.contains(&operation.tool_name) {
            let message = format!("two toolsets have a tool `{}`", operation.tool_name);
            let help = "give each toolset its own `prefix`";
            reader.report_fault(KindCode::DuplicateTool, "/toolsets", message, help);
        }
    }
    for tool in own {
        if !seen_names.insert(&tool.name) && !reported.contains(&tool.name) {
            let message = format!("expected one tool of a name, got two: `{}`", tool.name);
            let help = "give one of them another name: `tools: {edit: {…: {name: …}}}`";
            reader.report_fault(KindCode::DuplicateTool, tool.pointer.as_str(), message, help);
        }
    }
}

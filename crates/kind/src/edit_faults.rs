//! The faults of edits of tools as findings, each at its key. An edit of a tool or an argument that is gone is a warning, since
//! the service may have removed it; a misspelt one is an error, because what it hides or fixes would be the model's choice.

use callgate_settings::{Reader, SettingCode, nearest_help};
use callgate_tool::{EditFault, EditFaultKind, nearest};

use crate::code::KindCode;

/// The fault of an edit that names none of these tools.
pub fn unknown_tool_fault(tool: &str, names: &[String]) -> EditFault {
    let near = nearest(tool, names.iter().map(String::as_str));
    let help = nearest_help(tool, near, || "remove it".to_owned());
    let kind = EditFaultKind::misspelt_or_gone(tool, near);
    let message = format!("expected the name of a tool that is offered, got: `{tool}`");
    EditFault::impossible_change("", message, help).with_kind(kind)
}

/// Reports a fault of the edit at a pointer.
pub fn report_edit_fault(reader: &mut Reader, pointer: &str, fault: &EditFault) {
    let EditFault { kind, message, help, .. } = fault;
    let pointer = format!("{pointer}{}", fault.pointer);
    let code: &'static str = match kind {
        EditFaultKind::Gone => {
            return reader.warn(KindCode::SelectsNothing, pointer, message, help);
        }
        EditFaultKind::Unused => {
            return reader.warn(SettingCode::UnusedKey, pointer, message, help);
        }
        EditFaultKind::Misspelt => KindCode::SelectsNothing.into(),
        EditFaultKind::Name => KindCode::ToolName.into(),
        EditFaultKind::Taken => KindCode::DuplicateTool.into(),
        EditFaultKind::Unfit => SettingCode::WrongValue.into(),
    };
    reader.report_fault(code, pointer, message.as_str(), help.as_str());
}

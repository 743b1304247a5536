//! Finds the tools that a toolset names: in `tools`, `arguments`, `argument_headers`, `output`, `execution` and
//! `confirm`. An entry that matches no tool of the loaded description is a warning. Where it protects, a misspelt one is an
//! error: it must not lead to calls that nobody approves or that the wrong side makes, or to tools that are not excluded. So is an
//! `operationId` that several have. A name unlike all others may be a tool that the service no longer has, which must not keep a sidecar from its start.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::ApiKeyLocation;
use callgate_call::Shape;
use callgate_executor::{Callable, Execution};
use callgate_kind::{KindCode, ToolRule};
use callgate_openapi::{ArgumentHeader, NoBodyArguments, Operation, Report};
use callgate_settings::{Reader, SettingCode, nearest_help};
use callgate_tool::{ToolName, nearest};

use crate::{
    Severity,
    toolset::{ListedHeader, ToolsetConfig},
};

/// Checks all settings of the toolset about single tools, and returns the shapes of their results and the side that
/// runs each.
pub(super) fn checked_tool_settings(
    reader: &mut Reader,
    config: &ToolsetConfig,
    report: &Report,
    callables: &[Callable],
) -> (BTreeMap<ToolName, Shape>, BTreeMap<ToolName, Execution>) {
    let operations: Vec<_> =
        callables.iter().map(|callable| Arc::clone(&callable.operation)).collect();
    check_argument_headers(reader, config, callables, &operations);
    check_body_arguments(reader, config, &operations);
    report_unmatched_selection(reader, config, report);
    let shapes = rules_by_tool(reader, &config.tool_shapes, &operations, Severity::Warning);
    (shapes, rules_by_tool(reader, &config.execution.tools, &operations, Severity::Error))
}

/// Reports entries that no operation matches: a warning, and an error for a misspelt one that excludes.
fn report_unmatched_selection(reader: &mut Reader, config: &ToolsetConfig, report: &Report) {
    for unmatched in &report.unmatched {
        let pointer =
            format!("{}/tools/{}/{}", config.pointer, unmatched.criterion, unmatched.index);
        let message = format!("expected operations to match, got none: `{}`", unmatched.entry);
        let help = match &unmatched.nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "correct it or remove it".to_owned(),
        };
        if unmatched.criterion == "exclude" && unmatched.nearest.is_some() {
            reader.report_fault(KindCode::SelectsNothing, pointer, message, help);
        } else {
            reader.warn(KindCode::SelectsNothing, pointer, &message, &help);
        }
    }
}

/// Reports a header that belongs to a credential, and warns about one that no tool has.
fn check_argument_headers(
    reader: &mut Reader,
    config: &ToolsetConfig,
    callables: &[Callable],
    operations: &[Arc<Operation>],
) {
    for ListedHeader { pointer, tool, header } in &config.argument_headers {
        let name = header.as_str();
        let is_meant = |callable: &&Callable| {
            tool.as_ref().is_none_or(|tool| callable.operation.is_called(tool))
        };
        let mut meant = callables.iter().filter(is_meant).peekable();
        if let (Some(tool), None) = (tool, meant.peek()) {
            let (message, help) = unknown_tool_message(tool, operations);
            reader.warn(KindCode::SelectsNothing, pointer.clone(), &message, &help);
        } else if let Some(taken) =
            meant.clone().find(|callable| is_credential_header(header, callable))
        {
            let message = format!("expected a header without a credential, got: `{name}`");
            let help =
                format!("remove it: the credential of `{}` goes there", taken.operation.tool_name);
            reader.report_fault(SettingCode::WrongValue, pointer.clone(), message, help);
        } else if !meant.any(|callable| callable.operation.argument_headers.contains(header)) {
            let message = format!("expected tools with a header parameter `{name}`, got none");
            reader.warn(
                KindCode::SelectsNothing,
                pointer.clone(),
                &message,
                "correct it or remove it",
            );
        }
    }
}

/// Reports a tool whose arguments cannot be the members of its body, and warns about a tool that does not exist.
fn check_body_arguments(
    reader: &mut Reader,
    config: &ToolsetConfig,
    operations: &[Arc<Operation>],
) {
    for ToolRule { tool, pointer, .. } in &config.body_arguments {
        let Some(operation) = operations.iter().find(|operation| operation.is_called(tool)) else {
            let (message, help) = unknown_tool_message(tool, operations);
            reader.warn(KindCode::SelectsNothing, pointer.clone(), &message, &help);
            continue;
        };
        let Some(why) = &operation.no_body_arguments else { continue };
        let message = format!(
            "expected a JSON object as the body and nothing else that a model gives, got {why}"
        );
        let help = match why {
            NoBodyArguments::Beside(argument) => format!(
                "remove `{tool}` from `arguments`; `{argument}` and the body are arguments side by side then"
            ),
            _ => format!("remove `{tool}` from `arguments`"),
        };
        reader.report_fault(SettingCode::WrongValue, pointer.clone(), message, help);
    }
}

/// Settings of single tools, by name. An entry that matches no tool of the toolset is a warning, and a misspelt one a finding
/// of this severity. One that several match is an error: a rule of only one of them would not protect the others.
pub(super) fn rules_by_tool<'a, T: Clone + 'a>(
    reader: &mut Reader,
    rules: impl IntoIterator<Item = &'a ToolRule<T>>,
    operations: &[Arc<Operation>],
    severity: Severity,
) -> BTreeMap<ToolName, T> {
    let mut rules_by_name = BTreeMap::new();
    for entry in rules {
        let ToolRule { tool, pointer, rule } = entry;
        match &*tools_by_name(tool, operations) {
            [] => {}
            [only] => {
                if rules_by_name.insert(only.clone(), rule.clone()).is_some() {
                    report_repeated_entry(reader, entry);
                }
                continue;
            }
            several => {
                report_ambiguous_name(reader, pointer.clone(), tool, several);
                continue;
            }
        }
        let (message, help) = unknown_tool_message(tool, operations);
        if severity == Severity::Error && is_misspelt(tool, operations) {
            reader.report_fault(KindCode::SelectsNothing, pointer, message, help);
        } else {
            reader.warn(KindCode::SelectsNothing, pointer.clone(), &message, &help);
        }
    }
    rules_by_name
}

/// The tools that an entry names: the one of this name, else those with another of their names, as operations with one `operationId`.
fn tools_by_name(tool: &str, operations: &[Arc<Operation>]) -> Vec<ToolName> {
    let names = || operations.iter().map(|operation| &operation.tool_name);
    if let Some(own) = names().find(|name| name.as_str() == tool) {
        return vec![own.clone()];
    }
    let matching = operations.iter().filter(|operation| operation.is_called(tool));
    matching.map(|operation| operation.tool_name.clone()).collect()
}

/// Reports a name by which several tools may be meant.
pub(super) fn report_ambiguous_name(
    reader: &mut Reader,
    pointer: String,
    name: &str,
    several: &[ToolName],
) {
    let tools: Vec<_> = several.iter().take(MOST_NAMED).map(ToolName::as_str).collect();
    let message = format!("expected the name of one tool, got that of {}: `{name}`", several.len());
    let help = format!("write the name of one of them: `{}`", tools.join("`, `"));
    reader.report_fault(SettingCode::WrongValue, pointer, message, help);
}

/// Reports a second entry for a tool, under another of its names.
pub(super) fn report_repeated_entry<T>(reader: &mut Reader, entry: &ToolRule<T>) {
    let message =
        format!("expected one entry for each tool, got another one for that of: `{}`", entry.tool);
    reader.report_fault(SettingCode::WrongValue, &*entry.pointer, message, "remove one of them");
}

/// The message about a tool's name that is not offered, with its remedy.
fn unknown_tool_message(tool: &str, operations: &[Arc<Operation>]) -> (String, String) {
    let help = nearest_help(tool, tool_names(operations), || "remove it".to_owned());
    (format!("expected the name of a tool that is offered, got: `{tool}`"), help)
}

/// True if a tool has a name like this one.
fn is_misspelt(tool: &str, operations: &[Arc<Operation>]) -> bool {
    nearest(tool, tool_names(operations)).is_some()
}

fn tool_names(operations: &[Arc<Operation>]) -> impl Iterator<Item = &str> {
    operations.iter().map(|operation| operation.tool_name.as_str())
}

/// True if a credential of the operation goes to the header, or to a cookie in it.
fn is_credential_header(header: &ArgumentHeader, callable: &Callable) -> bool {
    callable.authenticator.places().iter().any(|place| match place.place() {
        ApiKeyLocation::Cookie => header.is_named("Cookie"),
        ApiKeyLocation::Header => header.is_named(place.name()),
        _ => false,
    })
}

/// The number of tools that a finding names.
const MOST_NAMED: usize = 5;

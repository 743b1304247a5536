//! The functions of toolsets as tools of the executor, with the operator's edits.

use std::time::Duration;

use callgate_executor::{Backend as _, Builder, ClientFunction, EditedTool};
use callgate_kind::{EditRule, KindCode, ToolRule, report_edit_fault, unknown_tool_fault};
use callgate_openapi::edited_tool_name;
use callgate_settings::Reader;
use callgate_tool::{EditFault, ToolName};

use crate::{
    config::Config,
    toolset::{FunctionConfig, ToolsetConfig},
};

/// A function, and its declaration if an operator changed it.
#[derive(Debug)]
pub(super) struct BuiltFunction {
    pub(super) function: ClientFunction,
    edit: Option<EditedTool>,
}

/// The functions of all toolsets.
pub(super) fn build_functions(reader: &mut Reader, config: &Config) -> Vec<BuiltFunction> {
    let mut functions = Vec::new();
    for toolset in &config.toolsets {
        for function in &toolset.functions {
            functions.extend(build_function(
                reader,
                toolset,
                function,
                config.sessions.client_time,
            ));
        }
        for rule in &toolset.edits {
            if let Some(fault) = unused_edit_fault(toolset, rule) {
                report_edit_fault(reader, &rule.pointer, &fault);
            }
        }
    }
    functions
}

/// Adds a function to an executor.
pub(super) fn add_function(
    builder: Builder,
    BuiltFunction { function, edit }: BuiltFunction,
) -> Builder {
    match edit {
        Some(edit) => builder.edited_backend(function, edit),
        None => builder.backend(function),
    }
}

/// The fault of an edit that changes no function although it means one, or nothing else can be meant.
fn unused_edit_fault(toolset: &ToolsetConfig, rule: &EditRule) -> Option<EditFault> {
    let tool = &rule.tool;
    let is_meant = |function: &&FunctionConfig| is_function_called(toolset, function, tool);
    let Some(function) = toolset.functions.iter().find(is_meant) else {
        let has_others = toolset.description.is_some() || toolset.kind.is_some();
        return (!has_others).then(|| unknown_tool_fault(tool, &all_function_names(toolset)));
    };
    let is_own =
        first_edit_of_function(toolset, function).is_some_and(|own| std::ptr::eq(own, rule));
    let message = format!("expected one edit of a function, got another one: `{tool}`");
    (!is_own).then(|| EditFault::impossible_change("", message, "put both into one"))
}

/// The name of a function's tool.
pub(super) fn function_tool_name(
    toolset: &ToolsetConfig,
    function: &FunctionConfig,
) -> Result<ToolName, String> {
    let edit = first_edit_of_function(toolset, function).map(|rule| &*rule.rule);
    match edit.and_then(|edit| edited_tool_name(toolset.prefix.as_ref(), edit)) {
        Some(Ok(name)) => Ok(name),
        // The fault of the new name is reported by itself.
        Some(Err(_)) | None => tool_name_before_edit(toolset, function),
    }
}

/// The names by which a configuration may mean a function: its own, and that of its tool, before and after an edit.
pub(super) fn function_names(toolset: &ToolsetConfig, function: &FunctionConfig) -> Vec<String> {
    let names = [tool_name_before_edit(toolset, function), function_tool_name(toolset, function)];
    let names = names.into_iter().flatten().map(|name| name.to_string());
    let new = first_edit_of_function(toolset, function).and_then(|rule| rule.rule.name.clone());
    names.chain([function.name.clone()]).chain(new).collect()
}

/// The names of all functions of a toolset.
pub(super) fn all_function_names(toolset: &ToolsetConfig) -> Vec<String> {
    toolset.functions.iter().flat_map(|function| function_names(toolset, function)).collect()
}

/// True if a configuration means a function by `name`.
pub(super) fn is_function_called(
    toolset: &ToolsetConfig,
    function: &FunctionConfig,
    name: &str,
) -> bool {
    function_names(toolset, function).iter().any(|function_name| function_name == name)
}

fn tool_name_before_edit(
    toolset: &ToolsetConfig,
    function: &FunctionConfig,
) -> Result<ToolName, String> {
    let full = match &toolset.prefix {
        Some(prefix) => format!("{prefix}-{}", function.name),
        None => function.name.clone(),
    };
    ToolName::new(&full).map_err(|error| error.to_string())
}

/// The first edit of a function, which names it or its tool.
fn first_edit_of_function<'a>(
    toolset: &'a ToolsetConfig,
    function: &FunctionConfig,
) -> Option<&'a EditRule> {
    let full = tool_name_before_edit(toolset, function).ok();
    let is_meant = |name: &str| {
        function.name == name || full.as_ref().is_some_and(|full| full.as_str() == name)
    };
    toolset.edits.iter().find(|rule| is_meant(&rule.tool))
}

fn build_function(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    function: &FunctionConfig,
    time: Duration,
) -> Option<BuiltFunction> {
    let rule = first_edit_of_function(toolset, function);
    let built = match build_client_function(toolset, function) {
        Ok(built) => built.with_time(time),
        Err(message) => {
            let help = "use letters, digits, `_`, `-` and `.`, at most 64 with the prefix";
            let pointer = format!("{}/name", function.pointer);
            reader.report_fault(KindCode::ToolName, pointer, message, help);
            return None;
        }
    };
    let edit = rule.and_then(|rule| edited_tool(reader, toolset, function, &built, rule));
    Some(BuiltFunction { function: built, edit })
}

/// The function as its edit declares it; faults of the edit are reported.
fn edited_tool(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    config: &FunctionConfig,
    function: &ClientFunction,
    rule: &EditRule,
) -> Option<EditedTool> {
    let ToolRule { pointer, rule: edit, .. } = rule;
    if let Some(Err(fault)) = edited_tool_name(toolset.prefix.as_ref(), edit) {
        report_edit_fault(reader, pointer, &fault);
    }
    let mut tool = function.declaration()?.clone();
    tool.name = tool_name_before_edit(toolset, config).ok()?;
    let (edited, faults) = EditedTool::new(&tool, function.name().clone(), edit);
    for fault in &faults {
        report_edit_fault(reader, pointer, fault);
    }
    Some(edited)
}

fn build_client_function(
    toolset: &ToolsetConfig,
    function: &FunctionConfig,
) -> Result<ClientFunction, String> {
    let FunctionConfig { name, description, input, output, .. } = function;
    let full = function_tool_name(toolset, function)?;
    let description = if description.is_empty() { name } else { description };
    let built = ClientFunction::new(full, description, input.clone());
    let built = built.map_err(|error| error.to_string())?;
    let of = toolset.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let built = built.of_toolset(of);
    Ok(match output {
        Some(output) => built.with_output_schema(output.clone()),
        None => built,
    })
}

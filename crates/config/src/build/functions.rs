//! The functions of toolsets as tools of the executor.

use std::time::Duration;

use callgate_executor::ClientFunction;
use callgate_tool::ToolName;

use crate::{
    code::ConfigCode,
    reader::Reader,
    toolset::{FunctionConfig, ToolsetConfig},
};

/// The functions of all toolsets; `time` limits how long clients may take.
pub(super) fn built(
    reader: &mut Reader,
    toolsets: &[ToolsetConfig],
    time: Duration,
) -> Vec<ClientFunction> {
    let mut functions = Vec::new();
    for toolset in toolsets {
        for function in &toolset.functions {
            match one(toolset, function) {
                Ok(built) => functions.push(built.with_time(time)),
                Err(message) => {
                    let help = "use letters, digits, `_`, `-` and `.`, at most 64 with the prefix";
                    reader.complain(
                        ConfigCode::ToolName,
                        format!("{}/name", function.pointer),
                        message,
                        help,
                    );
                }
            }
        }
    }
    functions
}

pub(super) fn tool_name(
    toolset: &ToolsetConfig,
    function: &FunctionConfig,
) -> Result<ToolName, String> {
    let full = match &toolset.prefix {
        Some(prefix) => format!("{prefix}-{}", function.name),
        None => function.name.clone(),
    };
    ToolName::new(&full).map_err(|error| error.to_string())
}

/// True if `name` is the function's own name or that of its tool.
pub(super) fn is_called(toolset: &ToolsetConfig, function: &FunctionConfig, name: &str) -> bool {
    function.name == name || tool_name(toolset, function).is_ok_and(|full| full.as_str() == name)
}

fn one(toolset: &ToolsetConfig, function: &FunctionConfig) -> Result<ClientFunction, String> {
    let FunctionConfig { name, description, input, output, .. } = function;
    let full = tool_name(toolset, function)?;
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

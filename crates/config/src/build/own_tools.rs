//! The tools that no description has: functions, and those of the toolset's kind. Their names stand in the configuration, so they
//! are there before a source answers.

use callgate_kind::CommonSettings;
use callgate_tool::ToolName;

use super::functions;
use crate::{server::ServerUrl, toolset::ToolsetConfig};

/// A tool of a toolset that no description has.
#[derive(Clone, Debug)]
pub(super) struct OwnTool {
    /// The name that models see.
    pub(super) name: ToolName,
    /// The names by which a configuration may mean it.
    names: Vec<String>,
    /// The place in the configuration.
    pub(super) pointer: String,
}

/// The settings of a toolset that do not depend on its kind.
pub(super) fn common_settings(toolset: &ToolsetConfig) -> CommonSettings<'_> {
    CommonSettings {
        name: toolset.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        pointer: &toolset.pointer,
        prefix: toolset.prefix.as_ref(),
        is_required: toolset.required,
        is_named_by_export: toolset.is_named_by_export,
        server: toolset.server.as_ref().map(ServerUrl::as_str),
        call: &toolset.call,
        selection: &toolset.selection,
        edits: &toolset.edits,
        functions: functions::all_function_names(toolset),
    }
}

impl OwnTool {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|own_name| own_name == name)
    }
}

/// The functions of a toolset and its other tools without a description.
pub(super) fn own_tools_of_toolset(toolset: &ToolsetConfig) -> Vec<OwnTool> {
    let functions = toolset.functions.iter().filter_map(|function| {
        let name = functions::function_tool_name(toolset, function).ok()?;
        let (names, pointer) =
            (functions::function_names(toolset, function), function.pointer.clone());
        Some(OwnTool { name, names, pointer })
    });
    let common = common_settings(toolset);
    let others = toolset.kind.iter().flat_map(|kind| kind.tools(&toolset.pointer));
    let others = others.filter_map(|tool| {
        let name = tool.name_for_model(&common).ok()?;
        let names = [tool.unedited_name(&common).ok()?.to_string(), name.to_string()];
        let new = tool.edit(&common).and_then(|rule| rule.rule.name.clone());
        let names = names.into_iter().chain(new).chain([tool.short]).collect();
        Some(OwnTool { name, names, pointer: tool.pointer })
    });
    functions.chain(others).collect()
}

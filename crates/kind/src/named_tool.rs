//! The tools that a configuration names before anything is opened, and the settings that toolsets of all kinds have.

use callgate_executor::CallSettings;
use callgate_openapi::{Selection, edited_tool_name};
use callgate_tool::{Effect, ToolName, ToolsetName};

use crate::tool_rule::EditRule;

/// A tool of a toolset that no description has, by what the configuration alone says of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NamedTool {
    /// The name without the toolset: `orders-list`.
    pub short: String,
    /// The effect.
    pub effect: Effect,
    /// The place in the configuration.
    pub pointer: String,
}

/// The settings of a toolset that do not depend on its kind.
#[derive(Clone, Debug)]
pub struct CommonSettings<'a> {
    /// The name; empty for none.
    pub name: String,
    /// The place in the configuration.
    pub pointer: &'a str,
    /// The text before the tools' names; `None` for none.
    pub prefix: Option<&'a ToolsetName>,
    /// True if nothing is ready while its source is away.
    pub is_required: bool,
    /// True if an export names its source, and the operator neither that nor a server: it is not asked.
    pub is_named_by_export: bool,
    /// The server that the operator names.
    pub server: Option<&'a str>,
    /// The settings of calls.
    pub call: &'a CallSettings,
    /// The tools that are offered.
    pub selection: &'a Selection,
    /// The operator's changes to single tools.
    pub edits: &'a [EditRule],
    /// The names by which the configuration may mean functions of the toolset.
    pub functions: Vec<String>,
}

impl NamedTool {
    /// The name of the tool without an edit.
    ///
    /// # Errors
    /// The reason why no tool can have the name.
    pub fn unedited_name(&self, toolset: &CommonSettings<'_>) -> Result<ToolName, String> {
        let full = match toolset.prefix {
            Some(prefix) => format!("{prefix}-{}", self.short),
            None => self.short.clone(),
        };
        ToolName::new(&full).map_err(|error| error.to_string())
    }

    /// The name that models see.
    ///
    /// # Errors
    /// The reason why no tool can have the name.
    pub fn name_for_model(&self, toolset: &CommonSettings<'_>) -> Result<ToolName, String> {
        let edit = self.edit(toolset).map(|rule| &*rule.rule);
        match edit.and_then(|edit| edited_tool_name(toolset.prefix, edit)) {
            Some(Ok(name)) => Ok(name),
            // The fault of the new name is reported by itself.
            Some(Err(_)) | None => self.unedited_name(toolset),
        }
    }

    /// The first edit that means it.
    pub fn edit<'t>(&self, toolset: &CommonSettings<'t>) -> Option<&'t EditRule> {
        toolset.edits.iter().find(|rule| self.has_unedited_name(toolset, &rule.tool))
    }

    /// True if `name` is its own one, or that of its tool without an edit.
    pub fn has_unedited_name(&self, toolset: &CommonSettings<'_>, name: &str) -> bool {
        self.short == name || self.unedited_name(toolset).is_ok_and(|full| full.as_str() == name)
    }
}

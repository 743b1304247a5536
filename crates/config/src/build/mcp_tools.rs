//! Finds the tools that the key `mcp` names, by their names or by those that an edit, a description or a toolset has for
//! them. Entries that mean no tool are warnings.

use std::collections::BTreeSet;

use callgate_executor::Toolset;
use callgate_kind::KindCode;
use callgate_settings::{Reader, nearest_help, pointer_segment};

use super::own_tools::OwnTool;
use crate::{config::Config, mcp::McpConfig};

/// The settings for clients of MCP, with the names that the tools have.
pub(super) fn mcp_config_with_tool_names(
    reader: &mut Reader,
    config: &Config,
    toolsets: &[Toolset],
    own: &[OwnTool],
) -> McpConfig {
    let tools = Tools { toolsets, own };
    let mut mcp = config.mcp.clone();
    for (index, name) in mcp.pinned.iter_mut().enumerate() {
        *name = tools.tool_name_of_entry(reader, name, || format!("/mcp/pinned/{index}"));
    }
    let said = std::mem::take(&mut mcp.tools).into_iter().map(|(name, tool)| {
        (
            tools.tool_name_of_entry(reader, &name, || {
                format!("/mcp/tools/{}", pointer_segment(&name))
            }),
            tool,
        )
    });
    mcp.tools = said.collect();
    mcp
}

#[derive(Clone, Copy)]
struct Tools<'a> {
    toolsets: &'a [Toolset],
    own: &'a [OwnTool],
}

impl Tools<'_> {
    /// The name of the tool that an entry means; the entry itself if there is none.
    fn tool_name_of_entry(
        self,
        reader: &mut Reader,
        entry: &str,
        pointer: impl FnOnce() -> String,
    ) -> String {
        let names: BTreeSet<&str> = self.tool_names().collect();
        if names.contains(entry) {
            return entry.to_owned();
        }
        let mut meant = self.tools_by_other_name(entry).into_iter();
        if let (Some(name), None) = (meant.next(), meant.next()) {
            return name;
        }
        let message = format!("expected the name of a tool, got one that none has: `{entry}`");
        let help = nearest_help(entry, names, || "correct it or remove it".to_owned());
        reader.warn(KindCode::SelectsNothing, pointer(), &message, &help);
        entry.to_owned()
    }

    fn tool_names(&self) -> impl Iterator<Item = &str> {
        let operations = self.toolsets.iter().flat_map(|toolset| &toolset.operations);
        let operations = operations.map(|callable| callable.operation.tool_name.as_str());
        operations.chain(self.own.iter().map(|tool| tool.name.as_str()))
    }

    /// The tools that a configuration may mean by a name that none has.
    fn tools_by_other_name(&self, name: &str) -> BTreeSet<String> {
        let operations = self.toolsets.iter().flat_map(|toolset| &toolset.operations);
        let operations = operations.filter(|callable| callable.operation.is_called(name));
        let operations = operations.map(|callable| callable.operation.tool_name.to_string());
        let own = self.own.iter().filter(|tool| tool.is_called(name));
        operations.chain(own.map(|tool| tool.name.to_string())).collect()
    }
}

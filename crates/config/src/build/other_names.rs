//! The names that tools of a description do not get in place of their `operationId`s: those of functions and of the
//! program's own tools. Toolsets with one prefix keep the names as written, unless they say otherwise: what is unique in
//! each description may not be so in all.

use std::collections::BTreeMap;

use callgate_openapi::ToolNames;
use callgate_tool::{ToolName, ToolsetName};

use super::functions;
use crate::{Config, environment::Environment, toolset::ToolsetConfig};

#[derive(Debug)]
pub(super) struct OtherNames {
    taken: Vec<ToolName>,
    /// The number of descriptions whose tools have a prefix.
    prefixes: BTreeMap<Option<ToolsetName>, usize>,
}

impl OtherNames {
    pub(super) fn new(config: &Config, environment: &Environment) -> Self {
        let functions = config.toolsets.iter().flat_map(|toolset| {
            let functions = toolset.functions.iter();
            functions.filter_map(|function| functions::function_tool_name(toolset, function).ok())
        });
        let own = environment.tools.iter().map(|tool| tool.name().clone());
        let taken = functions.chain(own).collect();
        let mut prefixes = BTreeMap::new();
        for toolset in config.toolsets.iter().filter(|toolset| toolset.description.is_some()) {
            *prefixes.entry(toolset.prefix.clone()).or_default() += 1;
        }
        Self { taken, prefixes }
    }

    /// The rule for the names of a toolset's tools.
    pub(super) fn naming_rule(&self, toolset: &ToolsetConfig) -> ToolNames {
        let is_alone = self.prefixes.get(&toolset.prefix).is_none_or(|n_toolsets| *n_toolsets < 2);
        let usual = if is_alone { ToolNames::Short } else { ToolNames::AsWritten };
        toolset.tool_names.unwrap_or(usual)
    }

    pub(super) fn taken_names(&self) -> &[ToolName] {
        &self.taken
    }
}

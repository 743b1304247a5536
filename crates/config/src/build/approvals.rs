//! The rules about calls that a person approves: those of toolsets, and those of the tools named there.

use std::time::Duration;

use callgate_policy::{ApprovalRules, Confirm};

use super::{functions, named_tools, toolset::Parts};
use crate::{Severity, reader::Reader, toolset::ToolsetConfig};

/// The rules of all toolsets. A misspelt name of a tool is an error: it must not turn an approval off. A name unlike
/// those of all loaded tools and functions is a warning.
pub(super) fn rules(
    reader: &mut Reader,
    toolsets: &[ToolsetConfig],
    parts: &[Parts<'_>],
    time: Duration,
) -> ApprovalRules {
    let mut rules = ApprovalRules { time, ..ApprovalRules::default() };
    for config in toolsets {
        let name = config.name.as_ref().map(ToString::to_string).unwrap_or_default();
        if config.confirm.default != Confirm::Never {
            rules.toolsets.insert(name, config.confirm.default);
        }
        let mut entries = Vec::new();
        for entry in &config.confirm.tools {
            let is_meant = |function: &&_| functions::is_called(config, function, &entry.tool);
            let function = config.functions.iter().find(is_meant);
            match function.and_then(|function| functions::tool_name(config, function).ok()) {
                Some(name) => drop(rules.tools.insert(name, entry.rule)),
                None => entries.push(entry),
            }
        }
        let built = parts.iter().find(|parts| std::ptr::eq(parts.config, config));
        if built.is_none() && config.description.is_some() {
            // The description is absent, and with it every operation that an entry may mean.
            continue;
        }
        let operations = built.map(|parts| &*parts.built.operations).unwrap_or_default();
        rules.tools.extend(named_tools::named(reader, entries, operations, Severity::Error));
    }
    rules
}

//! The tools of a database that `tools` of its toolset selects. The login needs no rights for the others.

use callgate_openapi::{Effects, Pattern};
use callgate_settings::Reader;
use callgate_tool::{Effect, nearest};

use crate::{
    build::own_tools::{self, DatabaseTool},
    code::ConfigCode,
    toolset::ToolsetConfig,
};

/// The selected tools. Entries that match none are reported: a misspelt one that excludes is an error.
pub(in crate::build) fn selected<'a>(
    reader: &mut Reader,
    toolset: &'a ToolsetConfig,
) -> Vec<DatabaseTool<'a>> {
    let all = own_tools::of_database(toolset);
    let selection = &toolset.selection;
    for (criterion, patterns) in [("exclude", &selection.exclude), ("include", &selection.include)]
    {
        for (index, pattern) in patterns.iter().enumerate() {
            if !all.iter().any(|tool| matches(toolset, tool, pattern)) {
                let pointer = format!("{}/tools/{criterion}/{index}", toolset.pointer);
                unmatched(reader, pointer, pattern, &all);
            }
        }
    }
    let is_selected = |tool: &DatabaseTool<'_>| {
        let is_of =
            |patterns: &[Pattern]| patterns.iter().any(|pattern| matches(toolset, tool, pattern));
        let is_included = selection.include.is_empty() || is_of(&selection.include);
        let has_effect = selection.effects == Effects::All || tool.effect() == Effect::Read;
        is_included && has_effect && !is_of(&selection.exclude)
    };
    all.into_iter().filter(is_selected).collect()
}

fn matches(toolset: &ToolsetConfig, tool: &DatabaseTool<'_>, pattern: &Pattern) -> bool {
    let names = [tool.former_name(toolset), tool.name(toolset)];
    pattern.matches(&tool.short)
        || names.iter().flatten().any(|name| pattern.matches(name.as_str()))
}

fn unmatched(reader: &mut Reader, pointer: String, pattern: &Pattern, all: &[DatabaseTool<'_>]) {
    let message = format!("expected tools to match, got none: `{}`", pattern.as_str());
    let near = nearest(pattern.as_str(), all.iter().map(|tool| tool.short.as_str()));
    let help = near.map(|near| format!("did you mean `{near}`?"));
    match help {
        Some(help) if pointer.contains("/tools/exclude/") => {
            reader.complain(ConfigCode::SelectsNothing, pointer, message, help);
        }
        help => {
            let help = help.as_deref().unwrap_or("correct it or remove it");
            reader.warn(ConfigCode::SelectsNothing, pointer, &message, help);
        }
    }
}

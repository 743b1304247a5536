//! The tools that `tools` of their toolset selects. A source needs to allow nothing for the others.

use callgate_openapi::{Effects, Pattern};
use callgate_settings::Reader;
use callgate_tool::{Effect, nearest};

use crate::{
    code::KindCode,
    named_tool::{CommonSettings, NamedTool},
};

/// The selected tools. Entries that match none are reported: a misspelt one that excludes is an error.
pub(crate) fn select_tools(
    reader: &mut Reader,
    toolset: &CommonSettings<'_>,
    all: Vec<NamedTool>,
) -> Vec<NamedTool> {
    let selection = toolset.selection;
    for (criterion, patterns) in [("exclude", &selection.exclude), ("include", &selection.include)]
    {
        for (index, pattern) in patterns.iter().enumerate() {
            if !all.iter().any(|tool| matches_tool(toolset, tool, pattern)) {
                let pointer = format!("{}/tools/{criterion}/{index}", toolset.pointer);
                report_unmatched_pattern(reader, pointer, pattern, &all);
            }
        }
    }
    let is_selected = |tool: &NamedTool| {
        let is_of = |patterns: &[Pattern]| {
            patterns.iter().any(|pattern| matches_tool(toolset, tool, pattern))
        };
        let is_included = selection.include.is_empty() || is_of(&selection.include);
        let has_effect = selection.effects == Effects::All || tool.effect == Effect::Read;
        is_included && has_effect && !is_of(&selection.exclude)
    };
    all.into_iter().filter(is_selected).collect()
}

fn matches_tool(toolset: &CommonSettings<'_>, tool: &NamedTool, pattern: &Pattern) -> bool {
    let names = [tool.unedited_name(toolset), tool.name_for_model(toolset)];
    pattern.matches(&tool.short)
        || names.iter().flatten().any(|name| pattern.matches(name.as_str()))
}

fn report_unmatched_pattern(
    reader: &mut Reader,
    pointer: String,
    pattern: &Pattern,
    all: &[NamedTool],
) {
    let message = format!("expected tools to match, got none: `{}`", pattern.as_str());
    let near = nearest(pattern.as_str(), all.iter().map(|tool| tool.short.as_str()));
    let help = near.map(|near| format!("did you mean `{near}`?"));
    match help {
        Some(help) if pointer.contains("/tools/exclude/") => {
            reader.report_fault(KindCode::SelectsNothing, pointer, message, help);
        }
        help => {
            let help = help.as_deref().unwrap_or("correct it or remove it");
            reader.warn(KindCode::SelectsNothing, pointer, &message, help);
        }
    }
}

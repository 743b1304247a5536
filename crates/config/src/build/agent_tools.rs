//! Finds the tools that `agents` names. A pattern that means no tool is a warning; a `choice` that means none would fail each
//! turn, so it is an error, unless the description that has the tool is absent.

use std::collections::BTreeSet;

use callgate_kind::KindCode;
use callgate_openapi::Pattern;
use callgate_settings::{Reader, SettingCode, nearest_help, pointer_segment};

use crate::{agents::AgentConfig, config::Config};

/// Reports the entries of all agents that mean no tool. `is_whole` says that the names are those of all tools.
pub(super) fn report_unmatched_entries(
    reader: &mut Reader,
    config: &Config,
    names: &BTreeSet<&str>,
    is_whole: bool,
) {
    for (name, agent) in &config.agents {
        let pointer = format!("/agents/{}", pointer_segment(name));
        for (key, patterns) in
            [("include", &agent.tools.include), ("exclude", &agent.tools.exclude)]
        {
            let place = format!("{pointer}/tools/{key}");
            warn_of_unmatched_patterns(reader, &place, patterns, names);
        }
        check_tool_choice(reader, &pointer, agent, names, is_whole);
    }
}

fn warn_of_unmatched_patterns(
    reader: &mut Reader,
    place: &str,
    patterns: &[Pattern],
    names: &BTreeSet<&str>,
) {
    for (index, pattern) in patterns.iter().enumerate() {
        if names.iter().any(|name| pattern.matches(name)) {
            continue;
        }
        let entry = pattern.as_str();
        let message =
            format!("expected a pattern of names of tools, got one that none has: `{entry}`");
        let pointer = format!("{place}/{index}");
        reader.warn(KindCode::SelectsNothing, pointer, &message, &entry_help(entry, names));
    }
}

fn check_tool_choice(
    reader: &mut Reader,
    pointer: &str,
    agent: &AgentConfig,
    names: &BTreeSet<&str>,
    is_whole: bool,
) {
    let tool = &*agent.choice;
    if matches!(tool, "auto" | "none" | "required") {
        return;
    }
    let is_any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(tool));
    let is_offered = (agent.tools.include.is_empty() || is_any(&agent.tools.include))
        && !is_any(&agent.tools.exclude);
    let pointer = format!("{pointer}/choice");
    if !names.contains(tool) {
        let expected = "`auto`, `none`, `required` or the name of a tool";
        let message = format!("expected {expected}, got: `{tool}`");
        let words = ["auto", "none", "required"].into_iter().chain(names.iter().copied());
        let help = entry_help(tool, &words.collect());
        if is_whole {
            reader.report_fault(SettingCode::WrongValue, pointer, message, help);
        } else {
            reader.warn(KindCode::SelectsNothing, pointer, &message, &help);
        }
    } else if !is_offered {
        let message = format!("expected a tool that the agent offers, got: `{tool}`");
        let help = "add it to `tools` of the agent";
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    }
}

fn entry_help(entry: &str, names: &BTreeSet<&str>) -> String {
    nearest_help(entry, names.iter().copied(), || "correct it or remove it".to_owned())
}

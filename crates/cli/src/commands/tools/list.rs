//! The tools of a file for people, each with its effect and its purpose in one line: all of them in groups by tag, or those that a
//! search finds. Groups and tools are in the order of the description.

use std::collections::BTreeMap;

use callgate::{
    Entry, Executor, Tool, Value,
    config::Built,
    search::{Found, FoundNeed, Search},
};
use callgate_tool::ToolName;

use super::{
    filter::{Filter, tool_tags},
    print_filtered_tools,
};
use crate::{
    listing::{Listing, Row, cut_to_width},
    number::grouped_digits,
    output,
};

/// The tools of one toolset with the same first tag.
type Group = (String, Vec<Row>);

pub(super) fn print_tools(built: &Built, filter: &Filter) {
    let (mut groups, mut group_indexes) = (Vec::<Group>::new(), BTreeMap::<String, usize>::new());
    let headings = tool_headings(built);
    print_filtered_tools(built, filter, ["", "", ""], |_, _, tool| {
        let heading = headings.get(&tool.name).map_or(WITHOUT_TAG, String::as_str);
        let at = *group_indexes.entry(heading.to_owned()).or_insert(groups.len());
        if at == groups.len() {
            groups.push((heading.to_owned(), Vec::new()));
        }
        if let Some((_, rows)) = groups.get_mut(at) {
            rows.push(tool_row(&tool.name, tool.effect.as_str(), &purpose_text(tool)));
        }
    });
    output::print_styled(&groups_text(&groups));
    if output::is_stdout_terminal() && !filter.has_flags() {
        print_next_step_notes(&groups);
    }
}

/// The heading of each tool: the first tag of its operation, with its toolset where there are several.
fn tool_headings(built: &Built) -> BTreeMap<ToolName, String> {
    let is_several = built.toolsets.len() > 1;
    let tags =
        tool_tags(built).into_iter().map(|(name, tags)| (name.clone(), tags.first().copied()));
    let tags: BTreeMap<ToolName, Option<&str>> = tags.collect();
    let heading = |entry: Entry<'_>| {
        let tag = tags.get(entry.name()).copied().flatten();
        match (tag, is_several) {
            (Some(tag), true) => format!("{}: {tag}", entry.toolset()),
            (Some(tag), false) => tag.to_owned(),
            (None, true) => entry.toolset().to_owned(),
            (None, false) => WITHOUT_TAG.to_owned(),
        }
    };
    built.executor.entries().map(|entry| (entry.name().clone(), heading(entry))).collect()
}

fn groups_text(groups: &[Group]) -> String {
    let mut listing = Listing::new("tool", &["effect"], "what it does");
    let is_grouped = groups.len() > 1;
    for (heading, rows) in groups {
        if is_grouped {
            listing.add_heading(heading);
        }
        for row in rows {
            listing.add_row(Row { indent: if is_grouped { 2 } else { 0 }, ..row.clone() });
        }
    }
    listing.text(output::terminal_width())
}

fn tool_row(name: &ToolName, effect: &str, text: &str) -> Row {
    Row { indent: 0, name: name.to_string(), words: vec![effect.to_owned()], text: text.to_owned() }
}

/// The first paragraph of what a tool does.
fn purpose_text(tool: &Tool) -> String {
    let lines = tool.description.trim_start().lines().take_while(|line| !line.trim().is_empty());
    cut_to_width(&lines.collect::<Vec<_>>().join(" "), LONGEST)
}

/// The flags that a newcomer needs next.
fn print_next_step_notes(groups: &[Group]) {
    let n_tools: usize = groups.iter().map(|(_, rows)| rows.len()).sum();
    let page = "`callgate tools FILE TOOL` shows one, with an example";
    if n_tools <= MANY {
        output::print_message_line(&format!("note: {page}"));
        return;
    }
    let tag = if groups.len() > 1 { "`--tag TAG`, " } else { "" };
    output::print_message_line(&format!(
        "note: {} tools; {tag}`--read` and `--search TEXT` show fewer; {page}",
        grouped_digits(n_tools)
    ));
}

/// `--search TEXT`: the tools that match, as a list or as JSON.
pub(super) fn show_matches(
    executor: &Executor,
    search: &Search<'_>,
    filter: &Filter,
    is_json: bool,
) {
    let matching_tools = executor.search(search, |entry| filter.keeps(entry.name()));
    if is_json {
        let tools: Vec<Value> = matching_tools.iter().map(Found::to_value).collect();
        output::print_result(&format!("{:#}\n", Value::Array(tools)));
        return;
    }
    if matching_tools.is_empty() {
        output::print_message("note: no tool has one of these words\n");
        return;
    }
    let mut listing = Listing::new("tool", &["effect"], "what it does");
    for one in &matching_tools {
        listing.add_row(tool_row(
            one.entry.name(),
            one.entry.effect().as_str(),
            &one.entry.brief(),
        ));
        for need in &one.needs {
            listing.add_row(Row {
                words: vec![String::new()],
                text: need_text(need),
                ..Row::default()
            });
        }
    }
    output::print_styled(&listing.text(output::terminal_width()));
}

fn need_text(need: &FoundNeed<'_>) -> String {
    let from: Vec<&str> = need.from.iter().map(|entry| entry.name().as_str()).collect();
    format!("needs `{}`: {}", need.argument, from.join(", "))
}

const WITHOUT_TAG: &str = "without a tag";
const LONGEST: usize = 160;
/// A longer list does not fit on a screen.
const MANY: usize = 40;

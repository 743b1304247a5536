//! What is said of a name that no tool of a file has: the reason if its operation is refused, else the tools that fit it best, by
//! their names and by a search for its words.

use std::path::Path;

use callgate::{Entry, Executor, FaultCode, search::Search};
use callgate_tool::escape_invisible_in_line;

use crate::{
    listing::{Listing, Row, cut_to_width},
    output,
};

pub(crate) fn unknown_tool_text(executor: &Executor, asked: &str, file: &Path) -> String {
    let code = FaultCode::UnknownTool.as_str();
    let (file, name) = (file.display(), cut_to_width(&escape_invisible_in_line(asked), LONGEST));
    if executor.refusal_reason(asked, |_| true).is_some() {
        let message = &executor.unknown_tool_fault(asked, |_| true).message;
        let message = escape_invisible_in_line(message);
        return format!("error[{code}]: {message}\nhelp: `callgate check {file}` says why\n");
    }
    let fitting = similar_tools(executor, asked);
    if fitting.is_empty() {
        return format!(
            "error[{code}]: there is no tool `{name}`, and none has one of its words\nhelp: `callgate tools {file}` lists the tools\n"
        );
    }
    let mut listing = Listing::without_headings();
    for entry in fitting {
        listing.add_row(Row {
            indent: 2,
            name: entry.name().to_string(),
            words: vec![entry.effect().as_str().to_owned()],
            text: entry.brief(),
        });
    }
    format!(
        "error[{code}]: there is no tool `{name}`; these fit best:\n{}help: name one of them; `callgate tools {file}` lists all tools\n",
        listing.text(output::terminal_width())
    )
}

/// The tool of the most similar name, what a search finds, and tools of other similar names.
fn similar_tools<'e>(executor: &'e Executor, asked: &str) -> Vec<Entry<'e>> {
    let is_name = !asked.contains(char::is_whitespace);
    let nearest = if is_name { executor.nearest_names(asked, |_| true) } else { Vec::new() };
    let mut nearest = nearest.into_iter().filter_map(|name| executor.find(name));
    let first = nearest.next();
    let matching_tools = executor.search(&Search::new(asked).with_limit(MOST), |_| true);
    let mut fitting: Vec<Entry<'e>> = Vec::new();
    for entry in first
        .into_iter()
        .chain(matching_tools.iter().map(|matching_tool| matching_tool.entry))
        .chain(nearest)
    {
        let is_known = fitting.iter().any(|chosen_entry| chosen_entry.name() == entry.name());
        if !is_known && fitting.len() < MOST {
            fitting.push(entry);
        }
    }
    fitting
}

const LONGEST: usize = 60;
const MOST: usize = 5;

//! `callgate tools FILE TOOL`: one tool as a page for people, with its purpose, every argument, a call that works, and its
//! results.

mod inputs;
mod kind;

use std::fmt::Write as _;

use callgate::{Effect, Entry, Executor, Tool};
use callgate_config::Kinds;
use callgate_openapi::Operation;

use self::{
    inputs::{Detail, Inputs},
    kind::{Folding, is_object_with_members, kind_words, list_item},
};
use super::command_example::{self, CommandExample};
use crate::{
    args::ToolsArguments,
    exit::Failure,
    guide::Guide,
    listing::{Listing, Row},
    output::{self, in_bold},
};

pub(super) fn tool_page(
    executor: &Executor,
    entry: Entry<'_>,
    arguments: &ToolsArguments,
    kinds: &Kinds,
) -> Result<String, Failure> {
    let Some(tool) = entry.declaration() else {
        let message = format!("error: `{}` takes more than one declaration may", entry.name());
        return Err(Failure(format!("{message}\nhelp: `callgate check` says why")));
    };
    let schema = tool.input_schema.to_value();
    let operation = entry.operation().map(|operation| &**operation);
    let detail = if arguments.full { Detail::Full } else { Detail::Folded };
    let inputs = Inputs::new(&schema, operation, detail);
    let answers = Answers::new(tool, detail);
    let example = command_example::for_tool(executor, entry, &arguments.source, kinds)?;
    let mut text = format!("{}{}\n{}", page_head(tool, operation), edit_note(entry), inputs.text);
    let _infallible = write!(text, "\n{}\n{}", bold_title("example"), example_text(&example));
    let _infallible = write!(text, "\n{}\n{}", bold_title("answers"), answers.text);
    let notes = entry.operator_notes();
    if !notes.is_empty() {
        let _infallible = writeln!(text, "\n{}", bold_title("not offered"));
    }
    for note in notes {
        let _infallible = writeln!(text, "  {note}");
    }
    if inputs.is_folded || answers.is_folded {
        let all = match detail {
            Detail::Brief | Detail::Folded => "`--full` shows all, and ",
            Detail::Full => "",
        };
        let _infallible = write!(text, "\n`…` stands for more: {all}`--json` shows the schemas.\n");
    }
    Ok(text)
}

fn bold_title(text: &str) -> String {
    in_bold(&text.to_uppercase())
}

fn page_head(tool: &Tool, operation: Option<&Operation>) -> String {
    let mut text = in_bold(tool.name.as_str());
    if let Some(operation) = operation {
        let _infallible = write!(text, "  {}", operation.label());
    }
    let method = operation.map(|operation| operation.method.as_str());
    let effect = match (tool.effect, method) {
        (_, Some("DELETE")) => "destructive: it takes something away",
        (Effect::Read, _) => "reads: a call changes nothing",
        (Effect::Idempotent, _) => "writes: the same call again changes nothing more",
        (Effect::Write, _) => "writes: each call changes something",
    };
    let _infallible = write!(text, "\n{effect}\n\n{}\n", tool.description.trim_end());
    text
}

fn edit_note(entry: Entry<'_>) -> String {
    let Some(edit) = entry.edit() else { return String::new() };
    let was = match &edit.former_name {
        former if former == entry.name() => String::new(),
        former => format!("; without it: {former}"),
    };
    let keys = edit.changes.keys().join(", ");
    format!("\nChanged by the configuration ({keys}){was}\n")
}

fn example_text(example: &CommandExample) -> String {
    let mut text = match &example.line {
        Ok(line) => format!("  {line}\n"),
        Err(reason) => format!("  There is none that runs: {reason}\n"),
    };
    for note in &example.notes {
        let _infallible = writeln!(text, "  ({note})");
    }
    text
}

/// A tool's results, as far as the description has them.
struct Answers {
    text: String,
    is_folded: bool,
}

impl Answers {
    fn new(tool: &Tool, detail: Detail) -> Self {
        let Some(schema) = tool.output_schema().map(callgate_tool::Schema::to_value) else {
            let text = "  what the service sends; the description does not say more\n".to_owned();
            return Self { text, is_folded: false };
        };
        let guide = Guide::new(&schema);
        let of = list_item(guide).filter(|item| is_object_with_members(*item)).unwrap_or(guide);
        let names = of.declared_member_names();
        let mut text = format!("  {}\n", kind_words(guide, Folding::Nothing));
        let mut listing = Listing::without_headings();
        for name in names.iter().take(detail.most_rows()) {
            let kind = of.member(name).map(|guide| kind_words(guide, Folding::Objects));
            let words = vec![kind.unwrap_or_default()];
            listing.add_row(Row { indent: 2, name: (*name).to_owned(), words, ..Row::default() });
        }
        text.push_str(&listing.text(output::terminal_width()));
        let n_more = names.len().saturating_sub(detail.most_rows());
        if n_more > 0 {
            let _infallible = writeln!(text, "  … and {n_more} more");
        }
        let is_folded = text.contains('…');
        Self { text, is_folded }
    }
}

//! `callgate tools FILE TOOL`: one tool as a page for people, with its purpose, every argument, a call that works, and its
//! results.

use std::fmt::Write as _;

use callgate::{Effect, Entry, Executor, Fault, FaultCode, Outcome, Session, Tool, ToolCall};
use callgate_openapi::{Input, Operation};
use callgate_tool::{Object, Value};

use super::example::{self, Choice};
use crate::{
    args::SourceArguments, commands::call::block_on, exit::Failure, guide::Guide, output,
    table::Table,
};

pub(super) fn text(
    executor: &Executor,
    entry: Entry<'_>,
    source: &SourceArguments,
) -> Result<String, Failure> {
    let Some(tool) = entry.declaration() else {
        let message = format!("error: `{}` takes more than one declaration may", entry.name());
        return Err(Failure(format!("{message}\nhelp: `callgate check` says why")));
    };
    let schema = tool.input_schema.to_value();
    let operation = entry.operation().map(|operation| &**operation);
    let mut text = head(tool, operation);
    text.push_str(&inputs(&schema, operation));
    let (line, note) = called(executor, tool, &schema, source)?;
    let _infallible = write!(text, "\nEXAMPLE\n  {line}\n");
    if let Some(note) = note {
        let _infallible = writeln!(text, "  ({note})");
    }
    if let Some(name) = file(Guide::new(&schema)).filter(|_| !line.contains("=@FILE")) {
        let _infallible = writeln!(text, "  (with a file as `{name}=@FILE`)");
    }
    text.push_str(&answers(tool));
    Ok(text)
}

fn head(tool: &Tool, operation: Option<&Operation>) -> String {
    let mut text = tool.name.to_string();
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

/// A row for each argument and each member of one; the lists of legal values follow.
fn inputs(schema: &Value, operation: Option<&Operation>) -> String {
    let mut rows = Rows {
        table: Table::new(["argument", "in", "type", "required", "default", "from", "what it is"]),
        legal: String::new(),
        n: 0,
    };
    let guide = Guide::new(schema);
    match operation {
        Some(operation) => {
            for input in &operation.inputs {
                let name = input.argument.as_str();
                let is_required = is_required(schema, name) || (input.required && !input.visible);
                let from = match input.source.reference() {
                    reference if reference.is_empty() && input.edit.is_hidden => configured(input),
                    reference if reference.is_empty() => "you".to_owned(),
                    reference if input.visible => format!("{reference}, or you"),
                    reference => reference,
                };
                let given = Given { place: input.place().as_str(), by: &from };
                if operation.body_of_arguments() == Some(&input.argument) {
                    rows.below("", given, guide);
                    continue;
                }
                rows.add(name, given, is_required, guide.member(name));
            }
        }
        None => {
            rows.below("", Given { place: "", by: "you" }, guide);
        }
    }
    if rows.n == 0 {
        return "\nIt takes no arguments.\n".to_owned();
    }
    format!("\n{}{}", rows.table.text(output::width()), rows.legal)
}

/// The value that the configuration gives a hidden input.
fn configured(input: &Input) -> String {
    match input.default.as_ref() {
        Some(value) => format!("the configuration: {value}"),
        None => "nobody: the configuration hides it".to_owned(),
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|known| known == name))
}

/// The source of an argument and its place in a call.
#[derive(Clone, Copy)]
struct Given<'a> {
    /// The location in the request; empty if there is none.
    place: &'a str,
    /// The side that gives the argument.
    by: &'a str,
}

struct Rows {
    table: Table,
    legal: String,
    n: usize,
}

impl Rows {
    fn add(&mut self, name: &str, given: Given<'_>, is_required: bool, guide: Option<Guide<'_>>) {
        self.n += 1;
        let word = |keyword: &str| guide.and_then(|guide| guide.keyword(keyword));
        let default = word("default").map(Value::to_string).unwrap_or_default();
        let what = word("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let required = if is_required { "yes" } else { "" };
        let only = guide.and_then(Guide::only_value);
        let kind = only.map_or_else(|| guide.map(kind).unwrap_or_default(), Value::to_string);
        self.table.push(
            [name, given.place, &kind, required, &default, given.by, &what].map(ToOwned::to_owned),
        );
        if let Some(legal) = word("enum").filter(|_| only.is_none()).and_then(Value::as_array) {
            let legal: Vec<_> = legal.iter().take(MOST_LEGAL).map(Value::to_string).collect();
            let _infallible = writeln!(self.legal, "{name}: one of {}", legal.join(", "));
        }
        if let Some(guide) = guide.filter(|guide| guide.kinds().object && !guide.kinds().bytes) {
            self.below(name, given, guide);
        }
    }

    /// Rows for the members of an object: those that every alternative has, then those of each below its heading.
    fn below(&mut self, name: &str, given: Given<'_>, guide: Guide<'_>) {
        let alternatives = guide.alternatives();
        if alternatives.is_empty() {
            return self.members_below(name, given, guide, &guide.members());
        }
        let common = guide.common_members();
        self.members_below(name, given, guide, &common);
        for (index, alternative) in alternatives.into_iter().enumerate() {
            let is_own = |name: &&str| {
                let is_tag = alternative.member(name).is_some_and(|one| one.only_value().is_some());
                is_tag || !common.contains(name)
            };
            let own: Vec<_> = alternative.members().into_iter().filter(is_own).collect();
            if own.is_empty() || self.n >= MOST_ROWS {
                continue;
            }
            let nth = || format!("alternative {}", index.saturating_add(1));
            let heading = alternative.heading().unwrap_or_else(nth);
            let name_of = if name.is_empty() { "" } else { ": " };
            self.table.push(
                [&format!("{name}{name_of}{heading}"), "", "", "", "", "", ""]
                    .map(ToString::to_string),
            );
            self.members_below(name, given, alternative, &own);
        }
    }

    fn members_below(&mut self, name: &str, given: Given<'_>, guide: Guide<'_>, members: &[&str]) {
        let required = guide.required_members();
        for below in members {
            let at = if name.is_empty() { (*below).to_owned() } else { format!("{name}.{below}") };
            if self.n >= MOST_ROWS || at.matches('.').count() > DEPTH {
                return;
            }
            self.add(&at, given, required.contains(below), guide.member(below));
        }
    }
}

fn kind(guide: Guide<'_>) -> String {
    if guide.kinds().bytes {
        return "file".to_owned();
    }
    let names = guide.types();
    if names == ["array"] {
        return guide
            .each()
            .map_or_else(|| "list".to_owned(), |each| format!("list of {}", kind(each)));
    }
    if names.is_empty() { "any".to_owned() } else { names.join(" or ") }
}

fn file(guide: Guide<'_>) -> Option<&str> {
    let is_file = |name: &&str| guide.member(name).is_some_and(example::is_file);
    guide.members().into_iter().find(is_file)
}

/// A command line that makes the call, and a note on what it still lacks.
fn called(
    executor: &Executor,
    tool: &Tool,
    schema: &Value,
    source: &SourceArguments,
) -> Result<(String, Option<String>), Failure> {
    let Example { values, fault } = block_on(example(executor, tool, schema))?;
    let note = fault.map(|fault| match fault.code {
        FaultCode::MissingSessionValue => {
            format!("with `--session FILE`, which gives {}", lacking(&fault).join(", "))
        }
        _ => fault.message,
    });
    let mut line = format!("callgate call {} {}", source.file.display(), tool.name);
    let given = example::arguments(&values, Guide::new(schema));
    if !given.is_empty() {
        let _infallible = write!(line, " {given}");
    }
    Ok((line, note))
}

/// Arguments that a tool takes, and the fault of a call with them.
struct Example {
    values: Object,
    fault: Option<Box<Fault>>,
}

/// The first example whose arguments pass the checks of a call; else the first of all.
async fn example(executor: &Executor, tool: &Tool, schema: &Value) -> Example {
    let mut first = None;
    for choice in Choice::all() {
        let example = completed(executor, tool, schema, choice).await;
        let is_refused = |fault: &Fault| fault.code == FaultCode::InvalidArguments;
        if !example.fault.as_deref().is_some_and(is_refused) {
            return example;
        }
        first.get_or_insert(example);
    }
    first.unwrap_or_else(|| Example { values: Object::new(), fault: None })
}

/// The example of one choice, with the values that a call lacks.
async fn completed(executor: &Executor, tool: &Tool, schema: &Value, choice: Choice) -> Example {
    let mut values = match example::value(schema, schema, choice) {
        Value::Object(values) => values,
        _ => Object::new(),
    };
    let mut fault = None;
    for _ in 0..MOST_TRIES {
        let call = ToolCall::new("1", tool.name.as_str(), values.clone());
        let planned = executor.dry_run(&call, &Session::default()).await;
        let Outcome::Failed(found) = planned.outcome else {
            return Example { values, fault: None };
        };
        for at in lacking(&found) {
            fill(&mut values, &at, schema, choice);
        }
        fault = Some(found);
    }
    Example { values, fault }
}

/// The places of the values that a call lacks.
fn lacking(fault: &Fault) -> Vec<String> {
    let lacks = fault.problems.iter().filter(|problem| problem.got == "nothing");
    lacks.map(|problem| problem.at.clone()).collect()
}

/// Puts an example in the place of a missing value. The declaration does not require values that a session may fill in.
fn fill(values: &mut Object, at: &str, schema: &Value, choice: Choice) {
    let steps: Vec<&str> = at.split('.').collect();
    let Some((last, before)) = steps.split_last() else { return };
    let below = steps.iter().try_fold(Guide::new(schema), |guide, name| guide.below(name));
    let Some(example) = below.map(|below| example::value(below.schema(), schema, choice)) else {
        return;
    };
    let mut here = values;
    for name in before {
        match here.get_mut(name) {
            Some(Value::Object(inside)) => here = inside,
            _ => return,
        }
    }
    here.insert((*last).to_owned(), example);
}

/// Describes the tool's results, as far as the description does.
fn answers(tool: &Tool) -> String {
    let Some(schema) = tool.output_schema().map(callgate_tool::Schema::to_value) else {
        return "\nANSWERS\n  what the service sends; the description does not say more\n"
            .to_owned();
    };
    let guide = Guide::new(&schema);
    let items = guide.each().filter(|_| guide.kinds().array && !guide.kinds().object);
    let mut text = format!("\nANSWERS\n  {}\n", kind(guide));
    let of = items.unwrap_or(guide);
    for name in of.members().into_iter().take(MOST_ROWS) {
        let kind = of.member(name).map(kind).unwrap_or_default();
        let _infallible = writeln!(text, "  {name}: {kind}");
    }
    text
}

/// The number of attempts to complete an example: a missing part of a value shows once the value is there.
const MOST_TRIES: usize = 4;
const DEPTH: usize = 2;
/// The description shows longer lists.
const MOST_LEGAL: usize = 40;
const MOST_ROWS: usize = 60;

#[cfg(test)]
mod corpus;

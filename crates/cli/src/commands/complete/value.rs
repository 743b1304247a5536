//! The candidates for an argument of the command or the value of a flag: from the argument's name, from clap, or from the
//! tools of FILE.

use callgate::dialect::{Dialect, Form};
use callgate_dialect::Projection;
use clap::{Arg, Command, ValueHint};

use super::{
    Candidate, Files, Found, argument,
    position::{CursorPosition, Kind, takes_many},
    tool_list::{self, ToolList},
};
use crate::{
    codes::{Explained, of_calls, of_findings},
    file_argument, folders,
};

/// The candidates at a place and possibly others: the caller keeps those that begin with the typed text.
pub(super) fn found(position: &CursorPosition<'_>) -> Found {
    match position.kind {
        Kind::Command => words(commands(position.command)),
        Kind::Flag => words(flags(position)),
        Kind::Value(of) => values(position, of),
    }
}

fn words(all: Vec<Candidate>) -> Found {
    Found { all, files: None }
}

fn commands(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|known| !known.is_hide_set());
    let about = |known: &Command| known.get_about().map(ToString::to_string).unwrap_or_default();
    shown.map(|known| Candidate::new(known.get_name(), &about(known))).collect()
}

fn flags(position: &CursorPosition<'_>) -> Vec<Candidate> {
    let is_free =
        |flag: &&Arg| takes_many(flag) || position.given(flag.get_id().as_str()).next().is_none();
    let shown = position.command.get_arguments().filter(|flag| !flag.is_hide_set()).filter(is_free);
    let mut all = Vec::new();
    for flag in shown {
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        all.extend(flag.get_long().map(|long| Candidate::new(format!("--{long}"), &help)));
        let is_short = flag.get_long().is_none();
        let short = flag.get_short().filter(|_| is_short);
        all.extend(short.map(|short| Candidate::new(format!("-{short}"), &help)));
    }
    all
}

fn values(position: &CursorPosition<'_>, of: &Arg) -> Found {
    let is_positional = of.is_positional();
    match of.get_id().as_str() {
        "file" | "files" | "old" | "new" if is_positional => {
            Found { all: profiles(), files: Some(files("", position.typed)) }
        }
        "tool" if is_positional => words(tools(position)),
        "function" => words(tools(position)),
        "arguments" => given(position),
        "code" => words(explained(&[of_findings(), of_calls()].concat())),
        "allow" | "deny" => words(explained(&of_findings())),
        "dialect" => named(Dialect::ALL, Dialect::as_str),
        "form" => named(Form::ALL, Form::as_str),
        "projection" => named(Projection::ALL, Projection::as_str),
        "args" => Found { files: at_file("", position.typed), ..Found::default() },
        _ => by_clap(position, of),
    }
}

fn by_clap(position: &CursorPosition<'_>, of: &Arg) -> Found {
    let legal = of.get_possible_values();
    if !legal.is_empty() {
        let shown = legal.iter().filter(|value| !value.is_hide_set());
        let help = |value: &clap::builder::PossibleValue| {
            value.get_help().map(ToString::to_string).unwrap_or_default()
        };
        return words(shown.map(|value| Candidate::new(value.get_name(), &help(value))).collect());
    }
    let is_path = matches!(
        of.get_value_hint(),
        ValueHint::AnyPath | ValueHint::DirPath | ValueHint::FilePath
    );
    Found { all: Vec::new(), files: is_path.then(|| files("", position.typed)) }
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Found {
    words(all.iter().map(|one| Candidate::new(name(*one), "")).collect())
}

fn explained(codes: &[Explained]) -> Vec<Candidate> {
    codes.iter().map(|(code, explanation)| Candidate::new(*code, explanation)).collect()
}

fn profiles() -> Vec<Candidate> {
    let names = folders::profiles().map(|folder| file_argument::names(&folder)).unwrap_or_default();
    names.iter().map(|name| Candidate::new(name.as_str(), "profile")).collect()
}

/// The tools of FILE; by their `operationId` if no name begins with the typed text.
fn tools(position: &CursorPosition<'_>) -> Vec<Candidate> {
    let Some(known) = known(position) else { return Vec::new() };
    let by_name: Vec<Candidate> = candidates(&known, |tool| Some(tool.name), position.typed);
    if !by_name.is_empty() {
        return by_name;
    }
    candidates(&known, |tool| tool.operation_id, position.typed)
}

fn candidates<'a>(
    known: &'a ToolList,
    name: impl Fn(&tool_list::Tool<'a>) -> Option<&'a str>,
    typed: &str,
) -> Vec<Candidate> {
    let tools = known.tools();
    let named = tools.filter_map(|tool| Some((name(&tool)?, tool.summary)));
    let meant = named.filter(|(name, _)| name.starts_with(typed));
    meant.map(|(name, summary)| Candidate::new(name, summary)).collect()
}

fn given(position: &CursorPosition<'_>) -> Found {
    let mut positionals = position.positionals.iter().skip(1);
    let Some(tool) = positionals.next() else { return Found::default() };
    if position.given("args").next().is_some() {
        return Found::default();
    }
    if let Some((name, value)) = position.typed.split_once('=')
        && value.starts_with('@')
    {
        let files = at_file(&format!("{name}="), value);
        return Found { all: Vec::new(), files };
    }
    let Some(known) = known(position) else { return Found::default() };
    let before: Vec<&str> = positionals.copied().collect();
    let arguments = known.arguments(tool);
    let all = match position.typed.split_once('=') {
        Some((name, _)) => argument::values(&arguments, name),
        None => argument::names(&arguments, &before),
    };
    words(all)
}

fn known(position: &CursorPosition<'_>) -> Option<ToolList> {
    let overlays = position.given("overlay").collect();
    ToolList::of(position.positionals.first()?, overlays, position.given("server").next())
}

fn at_file(before: &str, typed: &str) -> Option<Files> {
    Some(files(&format!("{before}@"), typed.strip_prefix('@')?))
}

fn files(before: &str, typed: &str) -> Files {
    Files { before: before.to_owned(), path: typed.to_owned() }
}

//! The candidates for an argument of the command or the value of a flag: from the argument's name, from clap, or from the
//! tools of FILE.

use callgate::dialect::{Dialect, Form};
use callgate_config::Kinds;
use callgate_dialect::Projection;
use clap::{Arg, Command, ValueHint};

use super::{
    Candidate, Completions, Files, argument,
    position::{CursorPosition, Kind, is_repeatable_argument},
    tool_list::{self, ToolList},
};
use crate::{
    codes::{Explained, call_codes, finding_codes},
    file_argument, folders,
};

/// The candidates at a place and possibly others: the caller keeps those that begin with the typed text.
pub(super) fn completions_at(position: &CursorPosition<'_>, kinds: &Kinds) -> Completions {
    match position.kind {
        Kind::Command => completions_without_files(command_candidates(position.command)),
        Kind::Flag => completions_without_files(flag_candidates(position)),
        Kind::Value(of) => flag_value_completions(position, of, kinds),
    }
}

fn completions_without_files(all: Vec<Candidate>) -> Completions {
    Completions { all, files: None }
}

fn command_candidates(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    let about =
        |subcommand: &Command| subcommand.get_about().map(ToString::to_string).unwrap_or_default();
    shown.map(|subcommand| Candidate::new(subcommand.get_name(), &about(subcommand))).collect()
}

fn flag_candidates(position: &CursorPosition<'_>) -> Vec<Candidate> {
    let is_free = |flag: &&Arg| {
        is_repeatable_argument(flag)
            || position.flag_values(flag.get_id().as_str()).next().is_none()
    };
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

fn flag_value_completions(position: &CursorPosition<'_>, of: &Arg, kinds: &Kinds) -> Completions {
    let is_positional = of.is_positional();
    match of.get_id().as_str() {
        "file" | "files" | "old" | "new" if is_positional => Completions {
            all: profile_candidates(),
            files: Some(file_completions("", position.typed)),
        },
        "tool" if is_positional => completions_without_files(tool_candidates(position, kinds)),
        "function" => completions_without_files(tool_candidates(position, kinds)),
        "arguments" => argument_completions(position, kinds),
        "code" => completions_without_files(code_candidates(
            &[finding_codes(kinds), call_codes()].concat(),
        )),
        "allow" | "deny" => completions_without_files(code_candidates(&finding_codes(kinds))),
        "dialect" => name_completions(Dialect::ALL, Dialect::as_str),
        "form" => name_completions(Form::ALL, Form::as_str),
        "projection" => name_completions(Projection::ALL, Projection::as_str),
        "args" => {
            Completions { files: files_after_at("", position.typed), ..Completions::default() }
        }
        _ => possible_value_completions(position, of),
    }
}

fn possible_value_completions(position: &CursorPosition<'_>, of: &Arg) -> Completions {
    let legal = of.get_possible_values();
    if !legal.is_empty() {
        let shown = legal.iter().filter(|value| !value.is_hide_set());
        let help = |value: &clap::builder::PossibleValue| {
            value.get_help().map(ToString::to_string).unwrap_or_default()
        };
        return completions_without_files(
            shown.map(|value| Candidate::new(value.get_name(), &help(value))).collect(),
        );
    }
    let is_path = matches!(
        of.get_value_hint(),
        ValueHint::AnyPath | ValueHint::DirPath | ValueHint::FilePath
    );
    Completions { all: Vec::new(), files: is_path.then(|| file_completions("", position.typed)) }
}

fn name_completions<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Completions {
    completions_without_files(all.iter().map(|one| Candidate::new(name(*one), "")).collect())
}

fn code_candidates(codes: &[Explained]) -> Vec<Candidate> {
    codes.iter().map(|(code, explanation)| Candidate::new(*code, explanation)).collect()
}

fn profile_candidates() -> Vec<Candidate> {
    let names = folders::profiles_folder()
        .map(|folder| file_argument::profile_names(&folder))
        .unwrap_or_default();
    names.iter().map(|name| Candidate::new(name.as_str(), "profile")).collect()
}

/// The tools of FILE; by their `operationId` if no name begins with the typed text.
fn tool_candidates(position: &CursorPosition<'_>, kinds: &Kinds) -> Vec<Candidate> {
    let Some(file_tools) = load_tool_list(position, kinds) else { return Vec::new() };
    let by_name: Vec<Candidate> =
        matching_tool_candidates(&file_tools, |tool| Some(tool.name), position.typed);
    if !by_name.is_empty() {
        return by_name;
    }
    matching_tool_candidates(&file_tools, |tool| tool.operation_id, position.typed)
}

fn matching_tool_candidates<'a>(
    file_tools: &'a ToolList,
    name: impl Fn(&tool_list::Tool<'a>) -> Option<&'a str>,
    typed: &str,
) -> Vec<Candidate> {
    let tools = file_tools.tools();
    let named = tools.filter_map(|tool| Some((name(&tool)?, tool.summary)));
    let meant = named.filter(|(name, _)| name.starts_with(typed));
    meant.map(|(name, summary)| Candidate::new(name, summary)).collect()
}

fn argument_completions(position: &CursorPosition<'_>, kinds: &Kinds) -> Completions {
    let mut positionals = position.positionals.iter().skip(1);
    let Some(tool) = positionals.next() else { return Completions::default() };
    if position.flag_values("args").next().is_some() {
        return Completions::default();
    }
    if let Some((name, value)) = position.typed.split_once('=')
        && value.starts_with('@')
    {
        let files = files_after_at(&format!("{name}="), value);
        return Completions { all: Vec::new(), files };
    }
    let Some(file_tools) = load_tool_list(position, kinds) else { return Completions::default() };
    let before: Vec<&str> = positionals.copied().collect();
    let arguments = file_tools.arguments_of_tool(tool);
    let all = match position.typed.split_once('=') {
        Some((name, _)) => argument::value_candidates(&arguments, name),
        None => argument::name_candidates(&arguments, &before),
    };
    completions_without_files(all)
}

fn load_tool_list(position: &CursorPosition<'_>, kinds: &Kinds) -> Option<ToolList> {
    let overlays = position.flag_values("overlay").collect();
    let server = position.flag_values("server").next();
    ToolList::load(position.positionals.first()?, overlays, server, kinds)
}

fn files_after_at(before: &str, typed: &str) -> Option<Files> {
    Some(file_completions(&format!("{before}@"), typed.strip_prefix('@')?))
}

fn file_completions(before: &str, typed: &str) -> Files {
    Files { before: before.to_owned(), path: typed.to_owned() }
}

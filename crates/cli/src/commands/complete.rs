//! `callgate complete SHELL WORD…`: prints candidates for the word at the cursor, for the scripts of `callgate completions`.
//! Prints nothing else, sends nothing, and never fails: a user who presses a key expects candidates or silence.
//! `callgate completions SHELL` prints those scripts.

mod argument;
mod completion_cache;
mod line;
mod position;
mod tool_list;
mod value;

use std::{ffi::OsString, fmt::Write as _};

use callgate_config::Kinds;
use callgate_tool::is_invisible_or_control;
use clap_complete::Shell;

use self::{line::Line, position::CursorPosition};
use crate::{
    args::{self, CompleteArguments, CompletedShell, CompletionsArguments},
    exit::Verdict,
    output,
};

#[derive(Default)]
struct Completions {
    all: Vec<Candidate>,
    /// Files are candidates too; the shell finds them itself.
    files: Option<Files>,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Candidate {
    text: String,
    help: String,
}

struct Files {
    /// The text before the file's name in its word: `photo=@`.
    before: String,
    /// The typed part of the file's name.
    path: String,
}

pub(crate) fn run(arguments: &CompleteArguments, kinds: &Kinds) -> Verdict {
    let text = match arguments.shell {
        CompletedShell::Bash => bash_completions(&arguments.words, kinds),
        CompletedShell::Fish | CompletedShell::Zsh => {
            fish_and_zsh_completions(&arguments.words, kinds)
        }
    };
    output::print_result(&text);
    Verdict::Fine
}

/// `callgate completions SHELL`: prints the completion script. The scripts for bash, fish and zsh call `callgate complete` at each
/// key press; those for other shells know only commands and flags.
pub(crate) fn print_script(arguments: &CompletionsArguments) -> Verdict {
    match arguments.shell {
        Shell::Bash => output::print_result(include_str!("completions/callgate.bash")),
        Shell::Fish => output::print_result(include_str!("completions/callgate.fish")),
        Shell::Zsh => output::print_result(include_str!("completions/callgate.zsh")),
        shell => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut args::command(), "callgate", &mut script);
            output::print_bytes(&script);
        }
    }
    Verdict::Fine
}

/// For bash, which passes its line: candidates as they are typed, without the part that bash takes for an earlier word.
fn bash_completions(given: &[OsString], kinds: &Kinds) -> String {
    let text = |at: usize| given.get(at).map(|word| word.to_string_lossy()).unwrap_or_default();
    let line = Line::parse_line(&text(0), &text(1));
    let completions = last_word_completions(&line.words, kinds);
    let typed: Vec<String> =
        completions.all.iter().filter_map(|candidate| line.text_to_type(&candidate.text)).collect();
    let is_open = !typed.is_empty() && typed.iter().all(|text| text.ends_with(['=', '/']));
    let mut answer = match &completions.files {
        Some(Files { before, path }) => {
            let before = before.strip_prefix(&line.written_part).unwrap_or_default();
            format!("files\n{before}\n{path}\n")
        }
        None if is_open => "open\n".to_owned(),
        None => "words\n".to_owned(),
    };
    for text in typed {
        let _infallible = writeln!(answer, "{text}");
    }
    answer
}

/// For shells that quote candidates themselves: candidates with descriptions, each with the start of the word.
fn fish_and_zsh_completions(given: &[OsString], kinds: &Kinds) -> String {
    let words: Vec<String> = given.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let completions = last_word_completions(&words, kinds);
    let mut answer = match &completions.files {
        Some(Files { before, path }) => format!("files\n{before}\n{path}\n"),
        None => "words\n".to_owned(),
    };
    for Candidate { text, help } in &completions.all {
        let _infallible = writeln!(answer, "{text}\t{help}");
    }
    answer
}

/// The candidates for the last word. Candidates that would change a terminal are left out.
fn last_word_completions(words: &[String], kinds: &Kinds) -> Completions {
    let command = position::built_command();
    let Some(position) = CursorPosition::from_words(&command, words) else {
        return Completions::default();
    };
    let mut completions = value::completions_at(&position, kinds);
    completions.all.retain(|candidate| {
        candidate.text.starts_with(position.typed)
            && !candidate.text.contains(is_invisible_or_control)
    });
    for candidate in &mut completions.all {
        candidate.text.insert_str(0, position.before);
    }
    if let Some(files) = &mut completions.files {
        files.before.insert_str(0, position.before);
    }
    let is_lost = |files: &Files| {
        files.before.contains(is_invisible_or_control)
            || files.path.contains(is_invisible_or_control)
    };
    completions.files = completions.files.filter(|files| !is_lost(files));
    completions
}

impl Candidate {
    fn new(text: impl Into<String>, help: &str) -> Self {
        Self { text: text.into(), help: first_nonblank_line(help) }
    }
}

/// The first line of a text, in a form that fits beside a candidate.
fn first_nonblank_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let plain = line.trim().chars().map(|c| if is_invisible_or_control(c) { ' ' } else { c });
    plain.take(LONGEST_HELP).collect()
}

/// The longest text that a terminal shows beside a candidate.
const LONGEST_HELP: usize = 100;

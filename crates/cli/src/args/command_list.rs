//! The commands in groups by their purpose, as `callgate --help` and the manual page list them. What a command does is said where it
//! is declared.

use std::{ffi::OsString, fmt::Write as _};

use callgate_config::Kinds;
use clap::{Command, CommandFactory as _, Error, FromArgMatches as _};

use super::{Arguments, code_parser};
use crate::effects;

/// The purposes in the order in which a newcomer meets them, each with its commands. A build without a feature lacks some.
const PURPOSES: [(&str, &[&str]); 5] = [
    ("Look at an API", &["tools", "check", "diff", "explain"]),
    ("Call", &["call", "chat", "run", "login", "logout"]),
    ("Run", &["serve", "mcp", "health", "approvals", "approve"]),
    ("Keep in order", &["doctor", "test", "audit"]),
    ("Set up", &["init", "draft", "import", "schema", "completions", "man"]),
];

/// The command line, whose help lists the commands by purpose.
pub(crate) fn command() -> Command {
    let command = effects::loading_commands().fold(Arguments::command(), with_effects_help);
    let template = commands_help_template(&command);
    command.help_template(template)
}

/// The effects of a command's load at the end of its long help.
fn with_effects_help(root: Command, name: &'static str) -> Command {
    root.mut_subcommand(name, |command| {
        let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let effects = effects::loading_help(name).unwrap_or_default();
        command.after_long_help(format!("{effects}\n\n{example}"))
    })
}

/// Reads a command line; findings of these kinds of toolsets have codes, too.
pub(crate) fn parse_arguments(
    words: impl Iterator<Item = OsString>,
    kinds: &Kinds,
) -> Result<Arguments, Error> {
    let mut command = command().mut_subcommand("check", |check| {
        let parser = code_parser(kinds);
        ["allow", "deny"]
            .into_iter()
            .fold(check, |check, flag| check.mut_arg(flag, |arg| arg.value_parser(parser.clone())))
    });
    let matches = command.try_get_matches_from_mut(words)?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The groups, each with those of its commands that this build has.
pub(crate) fn commands_by_purpose(
    root: &Command,
) -> impl Iterator<Item = (&'static str, Vec<&Command>)> {
    PURPOSES.iter().map(|(purpose, names)| {
        let commands = names.iter().filter_map(|name| root.find_subcommand(name));
        (*purpose, commands.collect())
    })
}

fn commands_help_template(root: &Command) -> String {
    let styles = root.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (purpose, commands) in commands_by_purpose(root) {
        let _infallible = write!(text, "\n{header}{purpose}:{header:#}\n");
        for command in commands {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _infallible = writeln!(text, "  {literal}{name:WIDTH$}{literal:#}  {about}");
        }
    }
    let _infallible = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    text
}

/// The columns of the longest name: `completions`.
const WIDTH: usize = 11;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let root = command();
        let mut listed: Vec<_> = commands_by_purpose(&root)
            .flat_map(|(_, commands)| commands)
            .map(|command| command.get_name().to_owned())
            .collect();
        listed.sort();
        let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
        let mut shown: Vec<_> = shown.map(|command| command.get_name().to_owned()).collect();
        shown.sort();
        assert_eq!(listed, shown, "`PURPOSES` lists each command once");
    }

    #[test]
    fn each_command_has_one_line_of_eighty_columns() {
        let help = command().term_width(80).render_help().to_string();
        for command in commands_by_purpose(&command()).flat_map(|(_, commands)| commands) {
            let about = command.get_about().unwrap().to_string();
            let line = format!("  {:WIDTH$}  {about}", command.get_name());
            assert!(help.lines().any(|shown| shown == line), "{line}: {help}");
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

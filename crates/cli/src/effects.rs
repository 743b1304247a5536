//! The effects that the load of each command may have: the value that the command passes, and the sentence of its help.

use std::fmt::Write as _;

use callgate_config::LoadEffects;

pub(crate) const CALL: LoadEffects = LoadEffects::Ask;
pub(crate) const CHECK: LoadEffects = LoadEffects::Ask;
pub(crate) const COMPLETE: LoadEffects = LoadEffects::Descriptions;
pub(crate) const DIFF: LoadEffects = LoadEffects::Descriptions;
pub(crate) const DOCTOR: LoadEffects = LoadEffects::Ask;
pub(crate) const DRY_RUN: LoadEffects = LoadEffects::Descriptions;
pub(crate) const INIT: LoadEffects = LoadEffects::Descriptions;
pub(crate) const LOGIN: LoadEffects = LoadEffects::Ask;
pub(crate) const SERVE: LoadEffects = LoadEffects::Ask;
/// Of the configuration that names a sidecar's addresses: it is read, and not built.
pub(crate) const SIDECAR: LoadEffects = LoadEffects::Descriptions;
pub(crate) const TEST: LoadEffects = LoadEffects::Files;
pub(crate) const TEST_RECORD: LoadEffects = LoadEffects::Ask;
pub(crate) const TOOLS: LoadEffects = LoadEffects::Ask;
#[cfg(feature = "agents")]
pub(crate) const CHAT: LoadEffects = LoadEffects::Ask;
#[cfg(feature = "ces")]
pub(crate) const IMPORT: LoadEffects = LoadEffects::Files;
#[cfg(feature = "mcp")]
pub(crate) const MCP: LoadEffects = LoadEffects::Ask;

/// A flag, and the effects of a load with it.
type Flagged = Option<(&'static str, LoadEffects)>;

/// The commands that load, each with the effects of its load, and of its load with a flag.
const COMMANDS: &[(&str, LoadEffects, Flagged)] = &[
    ("call", CALL, Some(("--dry-run", DRY_RUN))),
    #[cfg(feature = "agents")]
    ("chat", CHAT, Some(("--dry-run", DRY_RUN))),
    ("check", CHECK, None),
    ("complete", COMPLETE, None),
    ("diff", DIFF, None),
    ("doctor", DOCTOR, None),
    #[cfg(feature = "ces")]
    ("import", IMPORT, None),
    ("init", INIT, Some(("--database", LoadEffects::Ask))),
    ("login", LOGIN, None),
    ("logout", LOGIN, None),
    #[cfg(feature = "mcp")]
    ("mcp", MCP, None),
    ("run", CALL, Some(("--dry-run", DRY_RUN))),
    ("serve", SERVE, None),
    ("test", TEST, Some(("--record", TEST_RECORD))),
    ("tools", TOOLS, None),
];

/// The names of the commands that load.
pub(crate) fn loading_commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, ..)| *name)
}

/// The paragraph about its load in the help of a command; `None` for a command that loads nothing.
pub(crate) fn loading_help(command: &str) -> Option<String> {
    let (_, usual, flagged) = COMMANDS.iter().find(|(name, ..)| *name == command)?;
    let mut text = format!("Loading:\n  {}", effects_sentence(*usual));
    if let Some((flag, effects)) = flagged {
        let _infallible = write!(text, "\n  With `{flag}`: {}", effects_sentence(*effects));
    }
    Some(text)
}

fn effects_sentence(effects: LoadEffects) -> &'static str {
    match effects {
        LoadEffects::Nothing => "reads no file and no variable, and sends nothing",
        LoadEffects::Files => {
            "reads the files of FILE's own folder; reads no variable and no other file, sends nothing"
        }
        LoadEffects::Descriptions => {
            "fetches descriptions at addresses that you wrote, without a credential; asks no connection, no database and no store of \
             secrets"
        }
        LoadEffects::Ask => {
            "fetches descriptions, and asks connections, databases and stores of secrets, with their credentials"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    #[test]
    fn the_help_of_each_command_that_loads_says_what_the_load_may_do() {
        let root = args::command();
        for name in loading_commands() {
            let command = root.find_subcommand(name).unwrap();
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("\nLoading:\n  "), "{help}");
        }
    }

    #[test]
    fn dry_runs_and_tests_have_no_leave_to_ask() {
        for effects in [DRY_RUN, DIFF, TEST, COMPLETE] {
            assert!(effects < LoadEffects::Ask);
        }
    }
}

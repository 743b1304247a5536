//! The place of the cursor among the words of a command line: the command, and the flag or argument there. Reads words like
//! clap, and also accepts words that clap would refuse.

use clap::{Arg, Command};

use crate::args;

pub(super) struct CursorPosition<'a> {
    pub(super) command: &'a Command,
    /// The words before the cursor that are not flags.
    pub(super) positionals: Vec<&'a str>,
    /// The flags before the cursor, by the names of their arguments, with their values.
    pub(super) flags: Vec<(&'a str, &'a str)>,
    pub(super) typed: &'a str,
    /// The text before the typed value in its word: `--dialect=`.
    pub(super) before: &'a str,
    pub(super) kind: Kind<'a>,
}

pub(super) enum Kind<'a> {
    /// The name of a command, or an argument of a command that has subcommands.
    Command,
    Flag,
    /// An argument without a name, or the value of a flag.
    Value(&'a Arg),
}

/// All commands, with clap's own additions.
pub(super) fn built_command() -> Command {
    let mut command = args::command();
    command.build();
    command
}

impl<'a> CursorPosition<'a> {
    /// The place of the last word; `None` if no word is allowed there. The first word is the program's.
    pub(super) fn from_words(root: &'a Command, words: &'a [String]) -> Option<Self> {
        let (typed, before) = words.split_last()?;
        let (_, before) = before.split_first()?;
        let mut position = Self {
            command: root,
            positionals: Vec::new(),
            flags: Vec::new(),
            typed,
            before: "",
            kind: Kind::Command,
        };
        let (mut waiting, mut is_escaped) = (None, false);
        for word in before {
            position.take_word(word, &mut waiting, &mut is_escaped);
        }
        if let Some(flag) = waiting {
            position.kind = Kind::Value(flag);
            return Some(position);
        }
        position.with_kind_of_last_word(is_escaped)
    }

    fn take_word(&mut self, word: &'a str, waiting: &mut Option<&'a Arg>, is_escaped: &mut bool) {
        if let Some(flag) = waiting.take() {
            self.flags.push((flag.get_id().as_str(), word));
        } else if word == "--" && !*is_escaped {
            *is_escaped = true;
        } else if !*is_escaped && word.starts_with('-') && word != "-" {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            let Some(flag) = self.flag(name) else { return };
            match value {
                None if flag.get_action().takes_values() => *waiting = Some(flag),
                value => self.flags.push((flag.get_id().as_str(), value.unwrap_or_default())),
            }
        } else if let Some(below) = self.command.find_subcommand(word)
            && self.positionals.is_empty()
        {
            self.command = below;
        } else {
            self.positionals.push(word);
        }
    }

    /// The flag with this name, as `--name` or `-n`; of several letters the last, which may take a value.
    fn flag(&self, name: &str) -> Option<&'a Arg> {
        let mut all = self.command.get_arguments();
        if let Some(long) = name.strip_prefix("--") {
            return all.find(|argument| argument.get_long() == Some(long));
        }
        let short = name.chars().last()?;
        all.find(|argument| argument.get_short() == Some(short))
    }

    /// Adds the kind of word that is allowed at the end; `None` if there is none.
    fn with_kind_of_last_word(mut self, is_escaped: bool) -> Option<Self> {
        if !is_escaped && self.typed.starts_with('-') && self.typed != "-" {
            let Some((name, value)) = self.typed.split_once('=') else {
                self.kind = Kind::Flag;
                return Some(self);
            };
            let flag = self.flag(name).filter(|flag| flag.get_action().takes_values())?;
            self.before = self.typed.split_at(name.len().saturating_add(1)).0;
            (self.typed, self.kind) = (value, Kind::Value(flag));
            return Some(self);
        }
        if self.typed == "-" && !is_escaped {
            self.kind = Kind::Flag;
            return Some(self);
        }
        if self.command.has_subcommands() && self.positionals.is_empty() {
            return Some(self);
        }
        let all: Vec<&Arg> = self.command.get_positionals().collect();
        let next = all.get(self.positionals.len());
        let last = || all.last().filter(|last| is_repeatable_argument(last));
        self.kind = Kind::Value(next.or_else(last)?);
        Some(self)
    }

    pub(super) fn flag_values(&self, flag: &str) -> impl Iterator<Item = &'a str> {
        self.flags.iter().filter(move |(name, _)| *name == flag).map(|(_, value)| *value)
    }
}

pub(super) fn is_repeatable_argument(argument: &Arg) -> bool {
    matches!(argument.get_action(), clap::ArgAction::Append | clap::ArgAction::Count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks how the word at the end of a line is read, with the command and the words before it.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let root = built_command();
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        let got = CursorPosition::from_words(&root, &words).map(|position| {
            let kind = match position.kind {
                Kind::Command => "command",
                Kind::Flag => "flag",
                Kind::Value(of) => of.get_id().as_str(),
            };
            let CursorPosition { command, positionals, flags, typed, before, .. } = &position;
            format!("{} {positionals:?} {flags:?} {kind} {before}|{typed}", command.get_name())
        });
        assert_eq!(got.unwrap_or_default(), expected, "{line}");
    }

    #[test]
    fn words_are_read_as_clap_reads_them() {
        check("callgate", "");
        check("callgate ", "callgate [] [] command |");
        check("callgate ca", "callgate [] [] command |ca");
        check("callgate audit ", "audit [] [] command |");
        check("callgate call ", "call [] [] file |");
        check("callgate call a.yaml ge", "call [\"a.yaml\"] [] tool |ge");
        check("callgate call a call ", "call [\"a\", \"call\"] [] arguments |");
        check("callgate call a t b=1 c=", "call [\"a\", \"t\", \"b=1\"] [] arguments |c=");
        check(
            "callgate call -v a --dry-run t",
            "call [\"a\"] [(\"verbose\", \"\"), (\"dry_run\", \"\")] tool |t",
        );
        check("callgate call --server x a ", "call [\"a\"] [(\"server\", \"x\")] tool |");
        check("callgate call --server=x a ", "call [\"a\"] [(\"server\", \"x\")] tool |");
        check("callgate call -H a:b a ", "call [\"a\"] [(\"headers\", \"a:b\")] tool |");
        check("callgate call a --dialect o", "call [\"a\"] [] dialect |o");
        check("callgate call a --dialect=o", "call [\"a\"] [] dialect --dialect=|o");
        check("callgate call a --dr", "call [\"a\"] [] flag |--dr");
        check("callgate call a -", "call [\"a\"] [] flag |-");
        check("callgate call -- -a ", "call [\"-a\"] [] tool |");
        check("callgate call a --no-such=", "");
        check("callgate check a b", "check [\"a\"] [] files |b");
        check("callgate schema a", "");
    }
}

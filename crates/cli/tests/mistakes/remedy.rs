//! Does what a message says to do, as printed, in the folder of its row, and looks whether the message is gone. A command between
//! backticks is run and a flag with its value is added; what a person would have to fill in or to edit is in `mend:` of the row.

use crate::{
    judge::{REMEDIES, is_error},
    row::{Mend, Row, Rows, Transcript},
    run::{run, words},
    services::Services,
};

/// A row in which a remedy was followed, and when it helped.
struct Attempt {
    row: Row,
    expected: Expected,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Expected {
    /// What is printed is a command that there is.
    Known,
    /// The command does what it should.
    Success,
    /// Nothing of what was wrong is said.
    Silence,
}

/// What came of the remedies of a row.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) n_remedies: usize,
    pub(crate) faults: Vec<String>,
}

/// Follows each remedy of a message.
pub(crate) fn follow(rows: &Rows, row: &Row, told: &Transcript, services: &Services) -> Followed {
    let mut followed = Followed::default();
    for code in codes(told) {
        // A sidecar does not end by itself, and a minute is long.
        let is_endless = row.command.contains("callgate serve") || code.contains(" 60s");
        let is_whole = !has_blank(&code) && !is_endless;
        let (changed, expected) = match code.split_once(' ') {
            _ if code.starts_with("callgate ") && is_whole => {
                (row.with_command(&code), Expected::Known)
            }
            Some((flag, _)) if flag.starts_with("--") && is_whole => {
                (with_flag(row, flag, &code), Expected::Silence)
            }
            _ => continue,
        };
        if changed.command == row.command {
            continue;
        }
        followed.try_row(rows, &Attempt { row: changed, expected }, told, services);
    }
    for Mend(mend) in &row.mends {
        match mended(rows, row, told, mend) {
            Some(attempt) => followed.try_row(rows, &attempt, told, services),
            None => followed.faults.push(format!("cannot be done: {mend}")),
        }
    }
    followed
}

impl Followed {
    fn try_row(
        &mut self,
        rows: &Rows,
        Attempt { row: changed, expected }: &Attempt,
        told: &Transcript,
        services: &Services,
    ) {
        self.n_remedies += 1;
        let after = run(rows, changed, services);
        let says = |line: &str| [&after.err, &after.out].iter().any(|text| text.contains(line));
        // A note is all that is said where nothing is wrong.
        let is_wrong = |line: &&str| is_error(line) || changed.is_fine && line.starts_with("note");
        let mut before = told.err.lines().chain(told.out.lines()).filter(is_wrong);
        let has_helped = match expected {
            Expected::Known => true,
            // What is wrong beside it is said now.
            Expected::Silence => !before.any(says),
            Expected::Success => after.code == Some(0),
        };
        if !has_helped || after.err.contains("\nUsage:") {
            self.faults.push(format!("`{}` does not help:\n{after}", changed.command));
        }
    }
}

/// The codes between backticks in what a message says to do.
fn codes(told: &Transcript) -> Vec<String> {
    let lines = told.err.lines().chain(told.out.lines());
    let said = lines.filter_map(|line| {
        let at = REMEDIES.iter().filter_map(|words| line.find(words)).min()?;
        line.get(at..)
    });
    said.flat_map(|said| said.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// True if a code has a name to fill in.
fn has_blank(code: &str) -> bool {
    let is_name = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase());
    code.contains('…') || code.split(|c: char| !c.is_ascii_alphanumeric()).any(is_name)
}

/// The row with another value of a flag.
fn with_flag(row: &Row, flag: &str, code: &str) -> Row {
    let words = words(&row.command);
    let old = words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
    match old {
        Some(value) => row.with_command(&row.command.replace(&format!("{flag} {value}"), code)),
        None => row.with_command(&format!("{} {code}", row.command)),
    }
}

/// The row as a `mend:` changes it.
fn mended(rows: &Rows, row: &Row, told: &Transcript, mend: &str) -> Option<Attempt> {
    let mut parts = mend.split(" | ");
    let (printed, change) = (parts.next()?, parts.next()?);
    let said = format!("{}{}", told.err, told.out);
    said.contains(printed).then_some(())?;
    let filled = parts.try_fold(printed.to_owned(), |text, part| {
        let (name, value) = part.split_once('=')?;
        text.contains(name).then(|| text.replace(name, value))
    })?;
    match change {
        "run" => {
            return Some(Attempt { row: row.with_command(&filled), expected: Expected::Known });
        }
        "then" => {
            let row = row.with_next_command(&filled);
            return Some(Attempt { row, expected: Expected::Success });
        }
        _ => {}
    }
    let silent = |row| Some(Attempt { row, expected: Expected::Silence });
    let (place, change) = change.split_once(": ")?;
    if place == "first" {
        let before = vec![change.replace('%', &filled)];
        return silent(Row { before, ..row.clone() });
    }
    let (old, new) = change.split_once("=> ").or_else(|| change.split_once("=>"))?;
    let (old, new) = (unescaped(old.trim_end_matches(' ')), unescaped(new).replace('%', &filled));
    let replaced = |text: &str| match &*old {
        "" => Some(format!("{text} {new}")),
        old => text.contains(old).then(|| text.replacen(old, &new, 1)),
    };
    if place == "$" {
        return silent(row.with_command(&replaced(&row.command)?));
    }
    let mut changed = row.clone();
    changed.files = rows.files.iter().chain(&row.files).cloned().collect();
    let (_, text) = changed.files.iter_mut().rev().find(|(name, _)| name == place)?;
    *text = replaced(&text.replace("\\t", "\t"))?;
    silent(changed)
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t")
}

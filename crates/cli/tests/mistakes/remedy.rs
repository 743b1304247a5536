//! Does what a message says to do, as printed, in the folder of its row, and looks whether the message is gone. A command between
//! backticks is run and a flag with its value is added; what a person would have to fill in or to edit is in `mend:` of the row.

use crate::{
    judge::{REMEDIES, is_error},
    row::{Mend, Row, Rows, Transcript},
    run::{run, words},
    services::Services,
};

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
        let changed = match code.split_once(' ') {
            _ if code.starts_with("callgate ") && is_whole => row.with_command(&code),
            Some((flag, _)) if flag.starts_with("--") && is_whole => with_flag(row, flag, &code),
            _ => continue,
        };
        if changed.command == row.command {
            continue;
        }
        followed.try_row(rows, (&changed, code.starts_with("callgate ")), told, services);
    }
    for Mend(mend) in &row.mends {
        match mended(rows, row, told, mend) {
            Some((changed, is_run)) => followed.try_row(rows, (&changed, is_run), told, services),
            None => followed.faults.push(format!("cannot be done: {mend}")),
        }
    }
    followed
}

impl Followed {
    fn try_row(
        &mut self,
        rows: &Rows,
        (changed, is_run): (&Row, bool),
        told: &Transcript,
        services: &Services,
    ) {
        self.n_remedies += 1;
        let after = run(rows, changed, services);
        let says = |line: &str| [&after.err, &after.out].iter().any(|text| text.contains(line));
        let mut before = told.err.lines().chain(told.out.lines()).filter(|line| is_error(line));
        // What is wrong beside it is said now.
        let is_left = !is_run && before.any(says) || after.err.contains("\nUsage:");
        if is_left {
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

/// The row as a `mend:` changes it, and whether the remedy is a command of its own.
fn mended(rows: &Rows, row: &Row, told: &Transcript, mend: &str) -> Option<(Row, bool)> {
    let mut parts = mend.split(" | ");
    let (printed, change) = (parts.next()?, parts.next()?);
    let said = format!("{}{}", told.err, told.out);
    said.contains(printed).then_some(())?;
    let filled = parts.try_fold(printed.to_owned(), |text, part| {
        let (name, value) = part.split_once('=')?;
        text.contains(name).then(|| text.replace(name, value))
    })?;
    if change == "run" {
        return Some((row.with_command(&filled), true));
    }
    let (place, change) = change.split_once(": ")?;
    let (old, new) = change.split_once("=> ").or_else(|| change.split_once("=>"))?;
    let (old, new) = (unescaped(old.trim_end_matches(' ')), unescaped(new).replace('%', &filled));
    let replaced = |text: &str| match &*old {
        "" => Some(format!("{text} {new}")),
        old => text.contains(old).then(|| text.replacen(old, &new, 1)),
    };
    if place == "$" {
        return Some((row.with_command(&replaced(&row.command)?), false));
    }
    let mut changed = row.clone();
    changed.files = rows.files.iter().chain(&row.files).cloned().collect();
    let (_, text) = changed.files.iter_mut().rev().find(|(name, _)| name == place)?;
    *text = replaced(&text.replace("\\t", "\t"))?;
    Some((changed, false))
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t")
}

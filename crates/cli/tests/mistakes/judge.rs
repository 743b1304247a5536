//! Says what a good message says, and which of it a message lacks. Most of it is judged by people, in the rows; what a program
//! can see is checked here.

use crate::row::{Row, Transcript};

/// What a message should say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Aspect {
    /// What was expected.
    Expected,
    /// What came instead.
    Got,
    /// Each fault once.
    Once,
    /// What to do about it.
    Remedy,
    /// What is wrong.
    What,
    /// The file and line, the flag or the argument.
    Where,
}

/// Every aspect with its name in rows.
const NAMES: [(Aspect, &str); 6] = [
    (Aspect::Expected, "expected"),
    (Aspect::Got, "got"),
    (Aspect::Once, "once"),
    (Aspect::Remedy, "remedy"),
    (Aspect::What, "what"),
    (Aspect::Where, "where"),
];

impl Aspect {
    pub(crate) fn named(name: &str) -> Self {
        let found = NAMES.iter().find(|(_, known)| *known == name.trim());
        found.unwrap_or_else(|| panic!("there is no aspect `{name}`")).0
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(known, _)| *known == self).unwrap().1
    }
}

/// What no message may hold: rows have it wherever a secret stands.
const CANARY: &str = "canary";

/// What says what to do.
pub(crate) const REMEDIES: [&str; 5] = ["help:", "did you mean", "tip:", "try ", "; `callgate "];

/// What an error begins with, by the kind of command.
const MARKS: [&str; 6] = ["FAILED", "breaking", "error", "fault", "audit.jsonl: line", "warning"];

/// What a program sees wrong in what the command says.
pub(crate) fn faults(row: &Row, told: &Transcript) -> Vec<String> {
    let mut faults = Vec::new();
    let all = format!("{}{}", told.err, told.out);
    let lacks = |aspect| row.lacks.contains(&aspect);
    if !matches!(told.code, Some(1 | 2)) && !lacks(Aspect::What) && !row.is_fine {
        faults.push(format!("expected the exit code 1 or 2, got {:?}", told.code));
    }
    if all.contains(CANARY) {
        faults.push("a secret is shown".to_owned());
    }
    let n_errors = all.lines().filter(|line| is_error(line)).count();
    let expected = row.n_errors.unwrap_or(1);
    let is_silent = lacks(Aspect::What);
    if n_errors != expected && !lacks(Aspect::Once) && !is_silent {
        faults.push(format!("{n_errors} errors are told, not {expected}"));
    }
    let is_done = row.is_fine && !row.mends.is_empty();
    if !lacks(Aspect::Remedy) && !is_done && !REMEDIES.iter().any(|remedy| all.contains(remedy)) {
        faults.push("nothing is said about what to do".to_owned());
    }
    faults
}

/// Returns true if a line begins an error.
pub(crate) fn is_error(line: &str) -> bool {
    MARKS.iter().any(|mark| line.starts_with(mark))
}

//! Rows of mistakes as text, and back. A file begins with the files that all its rows have; then each row:
//!
//! ```text
//! === TITLE
//! lacks: ASPECT, ASPECT
//! mend: PRINTED | WHERE: OLD => NEW
//! errors: N
//! ends: 0
//! --- FILE
//! its lines
//! $ NAME=VALUE callgate ARGUMENT 'AN ARGUMENT' < FILE
//! exit CODE
//! err| a line of standard error
//! out| a line of standard output
//! ```
//!
//! `lacks`, `errors` (the number of errors that are told, 1 without) and `ends: 0` (what is told is a warning) may be absent.

use std::fmt;

use crate::judge::Aspect;

/// A file of rows.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    head: String,
    /// The files that every row has.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) all: Vec<Row>,
}

/// One mistake.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) title: String,
    pub(crate) lacks: Vec<Aspect>,
    pub(crate) n_errors: Option<usize>,
    /// Whether the command does what it should all the same.
    pub(crate) is_fine: bool,
    /// How what is said is done where a person has to fill something in.
    pub(crate) mends: Vec<Mend>,
    pub(crate) files: Vec<(String, String)>,
    /// What is run in the folder before the command, and says nothing that counts.
    pub(crate) before: Vec<String>,
    pub(crate) command: String,
    pub(crate) transcript: Transcript,
}

/// A way to do what a message says: `PRINTED | WHERE: OLD => NEW`. `WHERE` is a file, or `$` for the command; `%` in `NEW` is what was
/// printed, and names in capitals may follow with what stands in their place: `| URL=https://a.example`. `PRINTED | run` runs it,
/// `PRINTED | then` runs it after the row's command, and it succeeds; `PRINTED | first: %` runs it, or another command, before.
#[derive(Clone, Debug)]
pub(crate) struct Mend(pub(crate) String);

/// What a command says, and how it ends.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Transcript {
    pub(crate) code: Option<i32>,
    pub(crate) err: String,
    pub(crate) out: String,
}

impl Rows {
    pub(crate) fn parse(text: &str) -> Self {
        let mut parts = text.split("\n=== ");
        let mut rows = Self::default();
        let head = parts.next().unwrap();
        let (comment, _) = head.split_once("--- ").unwrap_or((head, ""));
        rows.head = comment.trim_end().to_owned();
        let mut in_file = false;
        for line in head.lines() {
            in_file |= line.starts_with("--- ");
            if in_file {
                take_line_of_file(&mut rows.files, line);
            }
        }
        rows.all = parts.map(Row::parse).collect();
        rows
    }
}

impl Row {
    /// The row with a command that is run after its own.
    pub(crate) fn with_next_command(&self, command: &str) -> Self {
        let before = self.before.iter().chain([&self.command]).cloned().collect();
        Self { before, ..self.with_command(command) }
    }

    /// The row with another command.
    pub(crate) fn with_command(&self, command: &str) -> Self {
        Self { command: command.to_owned(), ..self.clone() }
    }

    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let mut row = Self { title: lines.next().unwrap().trim().to_owned(), ..Self::default() };
        for line in lines {
            row.take(line);
        }
        row.files.iter_mut().for_each(|(_, text)| text.truncate(text.trim_end().len()));
        row
    }

    fn take(&mut self, line: &str) {
        if !self.command.is_empty() {
            self.transcript.take(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            command.clone_into(&mut self.command);
        } else if line.starts_with("--- ") || !self.files.is_empty() {
            take_line_of_file(&mut self.files, line);
        } else if let Some(lacks) = line.strip_prefix("lacks: ") {
            self.lacks = lacks.split(", ").map(Aspect::named).collect();
        } else if let Some(number) = line.strip_prefix("errors: ") {
            self.n_errors = Some(number.parse().unwrap());
        } else if line == "ends: 0" {
            self.is_fine = true;
        } else if let Some(mend) = line.strip_prefix("mend: ") {
            self.mends.push(Mend(mend.to_owned()));
        } else {
            assert!(line.trim().is_empty(), "{}: what is `{line}`?", self.title);
        }
    }
}

impl Transcript {
    fn take(&mut self, line: &str) {
        if let Some(code) = line.strip_prefix("exit ") {
            self.code = Some(code.parse().unwrap());
        } else if let Some(line) = line.strip_prefix("err|") {
            self.err.push_str(&format!("{}\n", line.strip_prefix(' ').unwrap_or(line)));
        } else if let Some(line) = line.strip_prefix("out|") {
            self.out.push_str(&format!("{}\n", line.strip_prefix(' ').unwrap_or(line)));
        } else {
            assert!(line.trim().is_empty(), "what is `{line}`?");
        }
    }
}

fn take_line_of_file(files: &mut Vec<(String, String)>, line: &str) {
    if let Some(name) = line.strip_prefix("--- ") {
        files.push((name.trim().to_owned(), String::new()));
    } else if let Some((_, text)) = files.last_mut() {
        text.push_str(line);
        text.push('\n');
    }
}

fn write_files(f: &mut fmt::Formatter<'_>, files: &[(String, String)]) -> fmt::Result {
    for (name, text) in files {
        writeln!(f, "--- {name}\n{}", text.trim_end())?;
    }
    Ok(())
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        write_files(f, &self.files)?;
        self.all.iter().try_for_each(|row| write!(f, "\n{row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "=== {}", self.title)?;
        if !self.lacks.is_empty() {
            let lacks: Vec<_> = self.lacks.iter().map(|aspect| aspect.name()).collect();
            writeln!(f, "lacks: {}", lacks.join(", "))?;
        }
        if let Some(n) = self.n_errors {
            writeln!(f, "errors: {n}")?;
        }
        if self.is_fine {
            writeln!(f, "ends: 0")?;
        }
        for Mend(mend) in &self.mends {
            writeln!(f, "mend: {mend}")?;
        }
        write_files(f, &self.files)?;
        write!(f, "$ {}\n{}", self.command, self.transcript)
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code.unwrap_or(-1))?;
        for (mark, text) in [("err|", &self.err), ("out|", &self.out)] {
            for line in text.lines() {
                writeln!(f, "{}", format!("{mark} {line}").trim_end())?;
            }
        }
        Ok(())
    }
}

//! `callgate test PATH…`: runs fixtures. A fixture is a folder with a `toolset.yaml`, a description and cases. Each case's
//! request and result are compared with its files, and so are the declarations and the report if they are there.

mod api;
mod case;
mod case_run;
mod difference;
mod files;
mod fixtures;
mod layout;
mod record;
mod report;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub(crate) use self::fixtures::sorted;
use self::{fixtures::Fixture, report::Report};
use crate::{
    args::TestArguments,
    exit::{Failure, Verdict},
};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Mode {
    /// Reports them as failures.
    Compare,
    /// Makes cases from the responses of their services.
    Record(Over),
    /// Writes them anew.
    Update,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Over {
    All,
    Nothing,
}

/// The outcome of one expectation file, or of a case as a whole.
#[derive(Debug)]
enum Check {
    /// The expectation does not hold: the difference.
    Broken(String),
    Held,
    /// The case was recorded: the service's response.
    Recorded(String),
    Written(PathBuf),
}

pub(crate) fn run(arguments: &TestArguments) -> Result<Verdict, Failure> {
    let mode = match (arguments.update, arguments.record, arguments.force) {
        (true, ..) => Mode::Update,
        (_, true, true) => Mode::Record(Over::All),
        (_, true, false) => Mode::Record(Over::Nothing),
        _ => Mode::Compare,
    };
    let mut fixtures = Vec::new();
    for path in &arguments.paths {
        fixtures.extend(fixtures::below(path, &arguments.case)?);
    }
    let mut report = Report::default();
    ran(&fixtures, mode, &mut |name, checks| report.ended(name, checks))?;
    if report.is_empty() {
        return Err(Failure(nothing(&arguments.case)));
    }
    Ok(Verdict::of(report.finish()))
}

fn nothing(names: &[String]) -> String {
    if names.is_empty() {
        return "error: no fixtures found\nhelp: name a folder with a `toolset.yaml`".to_owned();
    }
    let names = names.join("`, `");
    format!(
        "error: no case has `{names}` in its name\nhelp: `--case` takes a part of the name of a case's folder"
    )
}

fn ran(
    fixtures: &[Fixture],
    mode: Mode,
    told: &mut dyn FnMut(&str, &[Check]),
) -> Result<(), Failure> {
    for Fixture { folder, cases, is_whole } in fixtures {
        if *is_whole {
            told(&folder.display().to_string(), &api::run(folder, mode)?);
        }
        for case in cases {
            let checks = case::run(folder, case, mode);
            let checks = match (checks, mode) {
                // The other fixtures still run.
                (Err(Failure(why)), Mode::Compare) => vec![Check::Broken(why)],
                (checks, _) => checks?,
            };
            told(&case.display().to_string(), &checks);
        }
    }
    Ok(())
}

/// Writes all expectations of the fixtures below a folder as they are now.
pub(crate) fn write_expected(folder: &Path) -> Result<(), Failure> {
    ran(&fixtures::below(folder, &[])?, Mode::Update, &mut |_, _| {})
}

impl Check {
    /// Compares text with an optional file, or writes it there: without a file, nothing is expected.
    fn of_optional(file: PathBuf, text: &str, mode: Mode) -> Result<Self, Failure> {
        if mode != Mode::Update && !file.exists() {
            Ok(Self::Held)
        } else {
            Self::of(file, text, mode)
        }
    }

    /// Compares text with a file, or writes it there.
    fn of(file: PathBuf, text: &str, mode: Mode) -> Result<Self, Failure> {
        let written = callgate_config::read_file(&file, callgate_config::MAX_FILE_BYTES).ok();
        let written = written.and_then(|bytes| String::from_utf8(bytes).ok());
        if written.as_deref() == Some(text) {
            return Ok(Self::Held);
        }
        if mode == Mode::Update {
            return Self::written(file, text.as_bytes());
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self::Broken(match written {
            None => format!("`{name}` is missing; `callgate test --update` writes it"),
            Some(written) => format!("`{name}` differs\n{}", difference::of(&written, text)),
        }))
    }

    fn written(file: PathBuf, bytes: &[u8]) -> Result<Self, Failure> {
        fs::write(&file, bytes).map_err(|error| {
            Failure(format!("error: cannot write `{}`: {error}", file.display()))
        })?;
        Ok(Self::Written(file))
    }
}

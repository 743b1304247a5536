//! `callgate test PATH…`: runs fixtures. A fixture is a folder with a `toolset.yaml`, a description and cases; each
//! case's request and result are compared with what is written there, and so are the declarations and the report.

mod api;
mod case;
mod difference;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    args::TestArguments,
    exit::{Failure, Verdict},
    output,
};

/// The file that makes a folder a fixture.
const TOOLSET: &str = "toolset.yaml";
/// The depth below a path to which fixtures are looked for.
const DEPTH: usize = 4;

/// The way expectations that do not hold are treated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Mode {
    /// They are failures.
    Compare,
    /// They are written anew.
    Update,
}

/// The outcome of one expectation file.
#[derive(Debug)]
enum Check {
    /// It holds.
    Held,
    /// It does not: what differs.
    Broken(String),
    /// It was written.
    Written(PathBuf),
}

/// Runs every fixture below the paths.
pub(crate) fn run(arguments: &TestArguments) -> Result<Verdict, Failure> {
    let mode = if arguments.update { Mode::Update } else { Mode::Compare };
    let (mut passed, mut failed) = (0_usize, 0_usize);
    for path in &arguments.paths {
        for (name, checks) in fixtures(path, mode)? {
            let broken = told(&name, &checks);
            if broken { failed += 1 } else { passed += 1 }
        }
    }
    if passed + failed == 0 {
        let message = "error: no fixtures found\nhelp: name a folder with a `toolset.yaml`";
        return Err(Failure(message.to_owned()));
    }
    output::result(&format!("{passed} passed, {failed} failed\n"));
    Ok(Verdict::of(failed > 0))
}

fn fixtures(path: &Path, mode: Mode) -> Result<Vec<(String, Vec<Check>)>, Failure> {
    if !path.is_dir() {
        let message = format!("error: `{}` is not a folder", path.display());
        return Err(Failure(format!("{message}\nhelp: name a folder of fixtures")));
    }
    // One case by its own folder: the fixture is two levels up.
    if let Some(api) = path.ancestors().nth(2).filter(|_| path.join(case::CALL).is_file()) {
        return Ok(vec![case::run(api, path, mode)?]);
    }
    let mut apis = Vec::new();
    find(path, DEPTH, &mut apis)?;
    let mut ended = Vec::new();
    for api in apis {
        ended.push(api::run(&api, mode)?);
        for case in sorted(&api.join("cases"))? {
            if case.join(case::CALL).is_file() {
                ended.push(case::run(&api, &case, mode)?);
            }
        }
    }
    Ok(ended)
}

fn find(folder: &Path, depth: usize, apis: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if folder.join(TOOLSET).is_file() {
        apis.push(folder.to_owned());
        return Ok(());
    }
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    for below in sorted(folder)? {
        if below.is_dir() {
            find(&below, depth, apis)?;
        }
    }
    Ok(())
}

pub(crate) fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries
        .map_err(|error| Failure(format!("error: cannot read `{}`: {error}", folder.display())))?;
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}

/// Writes all that is expected of the fixtures below a folder as it is now.
pub(crate) fn write_expected(folder: &Path) -> Result<(), Failure> {
    fixtures(folder, Mode::Update).map(drop)
}

/// Tells what is not as it should be; whether anything is.
fn told(name: &str, checks: &[Check]) -> bool {
    let mut broken = false;
    for check in checks {
        match check {
            Check::Held => {}
            Check::Broken(what) => {
                broken = true;
                output::coloured(&format!("FAILED {name}: {what}\n"));
            }
            Check::Written(file) => output::talk(&format!("wrote {}\n", file.display())),
        }
    }
    broken
}

impl Check {
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

    /// Writes a file.
    fn written(file: PathBuf, bytes: &[u8]) -> Result<Self, Failure> {
        fs::write(&file, bytes).map_err(|error| {
            Failure(format!("error: cannot write `{}`: {error}", file.display()))
        })?;
        Ok(Self::Written(file))
    }
}

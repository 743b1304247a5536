//! `callgate test PATH…`: runs fixtures. A fixture is a folder with a `toolset.yaml`, a description and cases. Each case's
//! request and result are compared with its files, and so are the declarations and the report if they are there. A folder with
//! a `turn.json` is a recorded conversation, which is replayed.

mod case;
mod case_run;
mod difference;
mod files;
mod fixtures;
mod record;
#[cfg(feature = "agents")]
mod turn;

use std::path::{Path, PathBuf};

use callgate::{config::Environment, dialect::Dialect};
use callgate_config::Kinds;

use self::fixtures::{Fixture, TOOLSET, read_optional};
pub(crate) use self::fixtures::{recorded_exchanges, sorted_entries};
use super::tools::declarations_text;
use crate::{
    args::TestArguments,
    effects,
    exit::{Failure, Verdict},
    levels::Levels,
    loss_counts::LossCounts,
    open::confined_loader,
    output,
    partial_file::{Readers, write_below_refusing_links},
    report::CheckedDescription,
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
enum Check {
    /// The expectation does not hold: the difference.
    Broken(String),
    Held,
    /// The case was recorded: the service's response.
    Recorded(String),
    Written(PathBuf),
}

pub(crate) fn run(arguments: &TestArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let mode = match (arguments.update, arguments.record, arguments.force) {
        (true, ..) => Mode::Update,
        (_, true, true) => Mode::Record(Over::All),
        (_, true, false) => Mode::Record(Over::Nothing),
        _ => Mode::Compare,
    };
    let mut fixtures = Vec::new();
    for path in &arguments.paths {
        fixtures.extend(fixtures::find_fixtures(path, &arguments.case)?);
    }
    let mut report = Report::default();
    check_fixtures(&fixtures, mode, kinds, &mut |name, checks| report.add_case(name, checks))?;
    for path in &arguments.paths {
        for folder in fixtures::turn_folders_below(path, &arguments.case)? {
            // The other fixtures still run.
            let checks = check_turn(&folder, mode, kinds);
            let checks = checks.unwrap_or_else(|Failure(why)| vec![Check::Broken(why)]);
            report.add_case(&folder.display().to_string(), &checks);
        }
    }
    if report.is_empty() {
        return Err(Failure(no_fixtures_message(&arguments.case)));
    }
    Ok(Verdict::findings_if(report.print_counts()))
}

#[cfg(feature = "agents")]
fn check_turn(folder: &Path, mode: Mode, kinds: &Kinds) -> Result<Vec<Check>, Failure> {
    turn::check_or_update_turn(folder, mode, kinds)
}

#[cfg(not(feature = "agents"))]
fn check_turn(_: &Path, _: Mode, _: &Kinds) -> Result<Vec<Check>, Failure> {
    let message = "error: a recorded conversation cannot be replayed: this callgate has no agents";
    Err(Failure(message.to_owned()))
}

fn no_fixtures_message(names: &[String]) -> String {
    if names.is_empty() {
        return "error: no fixtures found\nhelp: name a folder with a `toolset.yaml` or a `turn.json`".to_owned();
    }
    let names = names.join("`, `");
    format!(
        "error: no case has `{names}` in its name\nhelp: `--case` takes a part of the name of a case's folder"
    )
}

fn check_fixtures(
    fixtures: &[Fixture],
    mode: Mode,
    kinds: &Kinds,
    report: &mut dyn FnMut(&str, &[Check]),
) -> Result<(), Failure> {
    for Fixture { folder, cases, is_whole } in fixtures {
        if *is_whole {
            report(
                &folder.display().to_string(),
                &check_declarations_and_load(folder, mode, kinds)?,
            );
        }
        for case in cases {
            let checks = case::check_or_record_case(folder, case, mode, kinds);
            let checks = match (checks, mode) {
                // The other fixtures still run.
                (Err(Failure(why)), Mode::Compare) => vec![Check::Broken(why)],
                (checks, _) => checks?,
            };
            report(&case.display().to_string(), &checks);
        }
    }
    Ok(())
}

/// The expectations of a whole fixture: its declarations in each dialect and its load report.
fn check_declarations_and_load(
    api: &Path,
    mode: Mode,
    kinds: &Kinds,
) -> Result<Vec<Check>, Failure> {
    let built = confined_loader(kinds, effects::TEST, api)?
        .load_toolset_settings_file(api.join(TOOLSET))
        .and_then(|config| config.build_blocking(&Environment::new(), None))?;
    let mut checks = Vec::new();
    for &dialect in Dialect::ALL {
        let name = format!("tools.{dialect}.json");
        checks.push(Check::compare_optional_file(
            api,
            &name,
            &declarations_text(&built.executor, dialect),
            mode,
        )?);
    }
    for toolset in built.toolsets {
        let mut checked = CheckedDescription::new(toolset, LossCounts::default())?;
        checked.file = checked.file.file_name().unwrap_or_default().into();
        let text = output::without_styles(&checked.to_text(&Levels::default_finding_levels()));
        checks.push(Check::compare_optional_file(api, "report.txt", &text, mode)?);
    }
    Ok(checks)
}

pub(crate) fn update_expected_files(folder: &Path, kinds: &Kinds) -> Result<(), Failure> {
    check_fixtures(&fixtures::find_fixtures(folder, &[])?, Mode::Update, kinds, &mut |_, _| {})
}

impl Check {
    /// Compares text with an optional file, or writes it there: without a file, nothing is expected.
    fn compare_optional_file(
        folder: &Path,
        name: &str,
        text: &str,
        mode: Mode,
    ) -> Result<Self, Failure> {
        if mode != Mode::Update && !folder.join(name).exists() {
            Ok(Self::Held)
        } else {
            Self::compare_or_update_file(folder, name, text, mode)
        }
    }

    fn compare_or_update_file(
        folder: &Path,
        name: &str,
        text: &str,
        mode: Mode,
    ) -> Result<Self, Failure> {
        let expected = read_optional(folder, name)?.and_then(|bytes| String::from_utf8(bytes).ok());
        if expected.as_deref() == Some(text) {
            return Ok(Self::Held);
        }
        if mode == Mode::Update {
            return Self::write(folder, name, text.as_bytes());
        }
        Ok(Self::Broken(match expected {
            None => format!("`{name}` is missing; `callgate test FOLDER --update` writes it"),
            Some(expected) => {
                format!("`{name}` differs\n{}", difference::differing_lines(&expected, text))
            }
        }))
    }

    fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<Self, Failure> {
        let file = folder.join(name);
        write_below_refusing_links(folder, name, bytes, Readers::Anyone).map_err(|error| {
            Failure(format!("error: cannot write `{}`: {error}", file.display()))
        })?;
        Ok(Self::Written(file))
    }
}

/// The report on fixtures: one line for each case that fails or was recorded, when it ends, and a final summary.
#[derive(Default)]
struct Report {
    passed: usize,
    failed: usize,
    recorded: usize,
    files: usize,
}

impl Report {
    fn add_case(&mut self, name: &str, checks: &[Check]) {
        let broken: Vec<&str> = checks
            .iter()
            .filter_map(|check| match check {
                Check::Broken(what) => Some(what.trim_end()),
                _ => None,
            })
            .collect();
        let mut how_recorded = None;
        for check in checks {
            match check {
                Check::Written(file) => {
                    self.files += 1;
                    output::print_message_line(&format!("wrote {}", file.display()));
                }
                Check::Recorded(how) => how_recorded = Some(how),
                Check::Broken(_) | Check::Held => {}
            }
        }
        match (&*broken, how_recorded) {
            ([], None) => self.passed += 1,
            ([], Some(how)) => {
                self.recorded += 1;
                output::print_result(&format!("recorded {name}: {how}\n"));
            }
            (broken, _) => {
                self.failed += 1;
                output::print_styled(&format!("FAILED {name}: {}\n", broken.join("\n")));
            }
        }
    }

    /// Reports the numbers. Returns true if any case failed.
    fn print_counts(&self) -> bool {
        let mut text = format!("{} passed, {} failed", self.passed, self.failed);
        if self.recorded > 0 {
            text.push_str(&format!(", {} recorded", self.recorded));
        }
        if self.files > 0 {
            text.push_str(&format!(", {} files written", self.files));
        }
        output::print_result(&format!("{text}\n"));
        self.failed > 0
    }

    fn is_empty(&self) -> bool {
        self.passed + self.failed + self.recorded == 0
    }
}

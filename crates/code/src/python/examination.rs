//! Tries the sandbox, for the commands that say whether a machine can run programs: it runs a program that pushes at each wall.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::{
    PythonError, PythonLimits, PythonProgram, PythonSettings, error, request::rlimits, run,
    settings::ENVIRONMENT,
};

/// The state of the engine on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// The version of Python.
    pub version: String,
    /// The walls of the sandbox, by name.
    pub walls: Vec<Wall>,
    /// Packages of the settings that cannot be imported, each with what Python says of it.
    pub absent_packages: Vec<(String, String)>,
    /// The most bytes of memory that one program can take with all its processes and files.
    pub total_memory: u64,
}

/// A wall of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Its name: `environment`, `files`, `limits`, `network`, `processes`, `system calls` or `user`.
    pub name: String,
    /// False where a program got through it. Programs must not be run then.
    pub stands: bool,
}

#[derive(Deserialize)]
struct Probe {
    version: String,
    packages: BTreeMap<String, String>,
    walls: BTreeMap<String, bool>,
}

/// Starts the sandbox, pushes at its walls from within, and imports each package of the settings.
///
/// # Errors
/// A sandbox that this machine does not give, or an interpreter that is absent or does not answer.
pub async fn examine(settings: &PythonSettings) -> Result<Examination, PythonError> {
    let limits = PythonLimits { output: 1 << 20, ..settings.limits.clone() };
    let code = probe_program(settings);
    let settings = PythonSettings { limits, ..settings.clone() };
    let outcome = run(&settings, PythonProgram { code, files: Vec::new() }).await?;
    let probe: Probe = serde_json::from_str(&outcome.result).map_err(|_| {
        error::start_error(outcome.error.lines().last().unwrap_or("it gives no answer"))
    })?;
    let walls = probe.walls.into_iter().map(|(name, stands)| Wall { name, stands });
    Ok(Examination {
        version: probe.version,
        walls: walls.collect(),
        absent_packages: probe.packages.into_iter().filter(|(_, why)| !why.is_empty()).collect(),
        total_memory: settings.limits.max_total_memory(),
    })
}

/// The text of the probe, behind what it must know of the settings: lists and maps of JSON read the same in Python.
fn probe_program(settings: &PythonSettings) -> String {
    let names: Vec<&str> = ENVIRONMENT.iter().map(|(name, _)| *name).collect();
    let several = u8::from(settings.limits.processes > 1);
    let given = [
        ("PACKAGES", json!(settings.packages)),
        ("ENVIRONMENT", json!(names)),
        ("LIMITS", rlimits(settings)),
        ("SEVERAL", json!(several)),
    ];
    let given = given.map(|(name, value)| format!("{name} = {value}\n"));
    given.concat() + include_str!("probe.py")
}

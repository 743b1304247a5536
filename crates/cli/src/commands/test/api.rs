//! The expectations of a fixture as a whole: its declarations in each dialect and its load report.

use std::path::Path;

use callgate::{
    config::{Config, Environment},
    dialect::Dialect,
};

use super::{Check, Mode, TOOLSET};
use crate::{
    commands::tools::declarations, exit::Failure, levels::Levels, loss_counts::LossCounts,
    open::failure, report::Checked,
};

/// Compares `tools.<dialect>.json` and `report.txt`.
pub(super) fn run(api: &Path, mode: Mode) -> Result<(String, Vec<Check>), Failure> {
    let built = Config::from_toolset_file(api.join(TOOLSET))
        .and_then(|config| config.build_blocking(&Environment::new(), None))
        .map_err(|error| failure(&error))?;
    let mut checks = Vec::new();
    for dialect in Dialect::ALL {
        let file = api.join(format!("tools.{dialect}.json"));
        checks.push(Check::of(file, &declarations(&built.executor, dialect), mode)?);
    }
    for toolset in built.toolsets {
        let mut checked = Checked::new(toolset, LossCounts::default())?;
        checked.file = checked.file.file_name().unwrap_or_default().into();
        let text = anstream::adapter::strip_str(&checked.to_text(&Levels::usual())).to_string();
        checks.push(Check::of(api.join("report.txt"), &text, mode)?);
    }
    Ok((api.display().to_string(), checks))
}

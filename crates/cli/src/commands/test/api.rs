//! The expectations of a whole fixture that are written down: its declarations in each dialect and its load report.

use std::path::Path;

use callgate::{config::Environment, dialect::Dialect};

use super::{Check, Mode, layout::TOOLSET};
use crate::{
    commands::tools::declarations,
    exit::Failure,
    levels::Levels,
    loss_counts::LossCounts,
    open::{failure, loader},
    report::Checked,
};

pub(super) fn run(api: &Path, mode: Mode) -> Result<Vec<Check>, Failure> {
    let built = loader()
        .toolset_file(api.join(TOOLSET))
        .and_then(|config| config.build_blocking(&Environment::new(), None))
        .map_err(|error| failure(&error))?;
    let mut checks = Vec::new();
    for &dialect in Dialect::ALL {
        let file = api.join(format!("tools.{dialect}.json"));
        checks.push(Check::of_optional(file, &declarations(&built.executor, dialect), mode)?);
    }
    for toolset in built.toolsets {
        let mut checked = Checked::new(toolset, LossCounts::default())?;
        checked.file = checked.file.file_name().unwrap_or_default().into();
        let text = anstream::adapter::strip_str(&checked.to_text(&Levels::usual())).to_string();
        checks.push(Check::of_optional(api.join("report.txt"), &text, mode)?);
    }
    Ok(checks)
}

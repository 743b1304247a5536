//! `callgate check FILE…`: what became of each operation, every fault with its line and a caret, and a summary.

use std::path::Path;

use callgate::config::{Built, DescriptionOptions, Finding};
use callgate_tool::json;

use crate::{
    args::{CheckArguments, Format},
    exit::{Failure, Verdict},
    open, output,
    progress::Progress,
    report::Checked,
    sarif,
};

/// Checks every file and tells everything at once.
pub(crate) fn run(arguments: &CheckArguments) -> Result<Verdict, Failure> {
    let (mut documents, mut warnings) = (Vec::new(), Vec::new());
    for file in &arguments.files {
        let progress = Progress::shown(format!("checking {}", file.display()));
        documents.extend(checked(file, arguments, &mut warnings)?);
        drop(progress);
    }
    let found = documents.iter().any(Checked::has_findings);
    match if arguments.json { Format::Json } else { arguments.format } {
        Format::Json => {
            let documents: Vec<_> = documents.iter().map(Checked::to_json).collect();
            output::result(&format!("{}\n", json!({"documents": documents})));
        }
        Format::Sarif => output::result(&format!("{:#}\n", sarif::log(&documents, &warnings))),
        Format::Text => {
            for document in &documents {
                output::coloured(&document.to_text());
            }
        }
    }
    Ok(Verdict::of(found))
}

fn checked(
    file: &Path,
    arguments: &CheckArguments,
    warned: &mut Vec<Finding>,
) -> Result<Vec<Checked>, Failure> {
    let options = DescriptionOptions {
        server: arguments.server.clone(),
        overlays: arguments.overlay.clone(),
        ..DescriptionOptions::default()
    };
    let Built { toolsets, warnings, .. } = open::open(file, &options)?;
    warned.extend(warnings);
    let checked = toolsets.into_iter().map(Checked::new);
    checked.map(|checked| Ok(checked?.with_advice())).collect()
}

//! `callgate check FILE…`: what became of each operation, every fault with its line and a caret, and a summary.

use std::path::Path;

use callgate::config::{Built, DescriptionOptions};
use serde_json::json;

use crate::{
    args::CheckArguments,
    exit::{Failure, Verdict},
    open, output,
    report::Checked,
};

/// Checks every file and tells everything at once.
pub(crate) fn run(arguments: &CheckArguments) -> Result<Verdict, Failure> {
    let mut documents = Vec::new();
    for file in &arguments.files {
        documents.extend(checked(file, arguments)?);
    }
    let found = documents.iter().any(Checked::has_findings);
    if arguments.json {
        let documents: Vec<_> = documents.iter().map(Checked::to_json).collect();
        output::result(&format!("{}\n", json!({"documents": documents})));
    } else {
        for document in &documents {
            output::coloured(&document.to_text());
        }
    }
    Ok(Verdict::of(found))
}

fn checked(file: &Path, arguments: &CheckArguments) -> Result<Vec<Checked>, Failure> {
    let options = DescriptionOptions {
        server: arguments.server.clone(),
        overlays: arguments.overlay.clone(),
        bearer: None,
    };
    let Built { executor, toolsets, .. } = open::open(file, &options)?;
    toolsets.into_iter().map(|toolset| Checked::new(toolset, &executor)).collect()
}

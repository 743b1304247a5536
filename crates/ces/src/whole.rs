//! Whole exports as values: an agent of Dialogflow CX, an app of Customer Engagement Suite. Each tool becomes the
//! settings of a toolset, each example the calls it shows. Unsupported parts are listed and stop nothing. Writes no
//! file.

mod agent;
mod agents;
mod app;
mod collection;
mod examples;
mod interpreter;
mod notes;

use std::path::Path;

use callgate_config::{Error, Finding};
use callgate_tool::{Object, Value, codes};

use crate::{
    package::{Package, display_name},
    whole::collection::Collection,
};

/// A whole export.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WholeExport {
    /// The product that made the export.
    pub kind: ExportKind,
    /// The agent's or the app's own name.
    pub name: String,
    /// The toolsets, sorted by name. None contains a secret.
    pub toolsets: Vec<ImportedToolset>,
    /// The calls in the export's examples.
    pub examples: Vec<ImportedExample>,
    /// The variables that an app declares, with their defaults.
    pub variables: Object,
    /// Findings: parts that are not imported, and noteworthy facts.
    pub findings: Vec<Finding>,
}

/// The product of a whole export.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "each has a dialect of its own")]
pub enum ExportKind {
    /// An agent of Dialogflow CX.
    Agent,
    /// An app of Customer Engagement Suite.
    App,
}

/// One tool or toolset of an export.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedToolset {
    /// The name in a form that callgate accepts.
    pub name: String,
    /// The settings, as in a configuration, without the file of the description.
    pub settings: Object,
    /// The description; functions have none.
    pub description: Option<String>,
}

/// A call in an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedExample {
    /// The example's own name, with a number if it shows several calls.
    pub name: String,
    /// The toolset of the tool.
    pub toolset: String,
    /// The call, in the dialect of the export.
    pub message: Value,
    /// The status and the body of the response; `None` if the example contains no response of the service.
    pub answer: Option<(u16, Value)>,
}

codes! {
    /// The kinds of findings about whole exports.
    pub enum ExportCode {
        /// A whole export cannot be read.
        Export = "export":
            "Name the folder of an exported agent or app, or a zip of it, and export it again if it is damaged.";
    }
}

/// Reads a whole export: its folder, or a zip of it.
///
/// # Errors
/// [`Error`] if it cannot be read, exceeds its limits or names files outside itself.
pub fn import_export(path: &Path) -> Result<WholeExport, Error> {
    let failed = |message: String| {
        let help = "name the folder of an exported agent or app, or a zip of it";
        Error::for_file(path, ExportCode::Export.as_str(), message, help)
    };
    let package = Package::read(path).map_err(failed)?;
    let mut collection = Collection::new();
    let kind = if package.has_file("agent.json") { ExportKind::Agent } else { ExportKind::App };
    let own = package
        .first_existing(&["agent.json", "app.json", "app.yaml", "app.yml"])
        .unwrap_or_default();
    let node = package.parse_file(&own).map_err(failed)?;
    match kind {
        ExportKind::Agent => agent::import_agent(&package, &node, &mut collection),
        ExportKind::App => app::import_app(&package, &node, &mut collection).map_err(failed)?,
    }
    let name = display_name(&node).map_or_else(|| package.name_without_extension(), str::to_owned);
    Ok(collection.into_export(kind, name))
}

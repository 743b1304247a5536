//! Whole exports as values: an agent of Dialogflow CX, an app of Customer Engagement Suite. Each tool becomes the settings
//! of a toolset, each example the calls it shows. What callgate cannot do is listed and stops nothing. Writes no file.

mod agent;
mod agents;
mod app;
mod examples;
mod notes;
mod taken;

use std::path::Path;

use callgate_tool::{Object, Value};

use crate::{
    code::ConfigCode, error::Error, finding::Finding, package::Package, whole::taken::Taken,
};

/// A whole export.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WholeExport {
    /// The product that made the export.
    pub kind: ExportKind,
    /// The agent's or the app's own name.
    pub name: String,
    /// The toolsets, in the order of their names. None holds a secret.
    pub toolsets: Vec<ImportedToolset>,
    /// The calls that its examples show.
    pub examples: Vec<ImportedExample>,
    /// The variables that an app declares, with their defaults.
    pub variables: Object,
    /// Findings: parts that are not taken over, and facts worth knowing.
    pub findings: Vec<Finding>,
}

/// The product that a whole export is of.
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
    /// Its name, as callgate takes it.
    pub name: String,
    /// Its settings, as a configuration has them; the file of its description is not among them.
    pub settings: Object,
    /// Its description; functions have none.
    pub description: Option<String>,
}

/// A call of an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedExample {
    /// The example's own name, with a number where it shows several calls.
    pub name: String,
    /// The toolset of the tool.
    pub toolset: String,
    /// The call, in the dialect of the export.
    pub message: Value,
    /// The status and the body of the answer; none where the example has no answer of the service.
    pub answer: Option<(u16, Value)>,
}

/// Reads a whole export: its folder, or a zip of it.
///
/// # Errors
/// [`Error`] where it cannot be read, is larger than its bounds or names files outside itself.
pub fn import_export(path: &Path) -> Result<WholeExport, Error> {
    let failed = |message: String| {
        let help = "name the folder of an exported agent or app, or a zip of it";
        Error::whole(path, ConfigCode::Export.as_str(), message, help)
    };
    let package = Package::read(path).map_err(failed)?;
    let mut taken = Taken::new();
    let kind = if package.has("agent.json") { ExportKind::Agent } else { ExportKind::App };
    let own = package.first(&["agent.json", "app.json", "app.yaml", "app.yml"]).unwrap_or_default();
    let node = package.node(&own).map_err(failed)?;
    match kind {
        ExportKind::Agent => agent::read(&package, &node, &mut taken),
        ExportKind::App => app::read(&package, &node, &mut taken).map_err(failed)?,
    }
    let name = ["displayName", "display_name"].iter().find_map(|key| node.get(key)?.as_str());
    let name = name.map_or_else(|| package.name(), str::to_owned);
    Ok(taken.into_export(kind, name))
}

//! From the text of a configuration to its values. Every fault is recorded with its place in the text. Files that the
//! configuration names are not read yet, except exports, which contain settings themselves.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_tree::{Diagnostic, Limits, Node, Object};

use crate::{
    code::ConfigCode,
    config::{Config, Origin},
    error::Error,
    file::{beginning, remedy_of_reading},
    finding::{Finding, Severity},
    limits,
    mcp::McpConfig,
    observe::{LogConfig, ReloadConfig, TelemetryConfig},
    policy::{self, CallsKeys, IdempotencyKeys},
    reader::tls::tls,
    secrets, serving,
    sessions::SessionsConfig,
    synonyms,
    tables::ROOT,
    tool_source::ToolSources,
    toolsets::toolsets,
};

impl Config {
    /// Fills in the values from the tree of the text.
    pub(crate) fn filled(mut self, root: &Node, sources: &ToolSources) -> Self {
        let config = &mut self;
        let Some(mapping) = config.reader.mapping(root, "", &ROOT) else { return self };
        config.audit = policy::audit(&mut config.reader, mapping);
        config.calls = config.reader.get::<CallsKeys>(mapping, "calls");
        config.idempotency = config.reader.get::<IdempotencyKeys>(mapping, "idempotency");
        config.secrets = secrets::secrets(&mut config.reader, mapping);
        config.sessions =
            config.reader.get::<SessionsConfig>(mapping, "sessions").unwrap_or_default();
        config.mcp = config.reader.get::<McpConfig>(mapping, "mcp").unwrap_or_default();
        config.synonyms = synonyms::read(&mut config.reader, mapping);
        config.tls = tls(&mut config.reader, mapping);
        config.reload = config.reader.get::<ReloadConfig>(mapping, "reload").unwrap_or_default();
        config.log = config.reader.get::<LogConfig>(mapping, "log").unwrap_or_default();
        config.telemetry =
            config.reader.get::<TelemetryConfig>(mapping, "telemetry").unwrap_or_default();
        match mapping.object.get("toolsets") {
            Some(node) => {
                let bounds = limits::of_all(&mut config.reader, mapping);
                config.toolsets = toolsets(&mut config.reader, node, &config.base, bounds, sources);
            }
            None if config.reader.is_misspelt(mapping, "toolsets") => {}
            None => config.reader.complain(
                ConfigCode::MissingKey,
                "",
                "expected the key `toolsets`, got none",
                "name at least one: `toolsets: {pets: {openapi: pets.yaml}}`",
            ),
        }
        let names = mapping.object.get("toolsets").and_then(Node::as_object);
        let names: Vec<_> = names.into_iter().flat_map(Object::iter).collect();
        let names: Vec<_> = names.iter().map(|(name, _)| &***name).collect();
        config.serving = serving::read(&mut config.reader, mapping, &names);
        self
    }

    pub(crate) fn of(text: &[u8], base: PathBuf, file: PathBuf) -> Self {
        let mut config = Self { base, ..Self::default() };
        if !file.as_os_str().is_empty() {
            config.reader.files.insert(file.clone());
        }
        Self { origin: Origin { file, text: Arc::from(text) }, ..config }
    }

    /// Reads with a reader that has another source of variables.
    #[cfg(test)]
    fn read_with(text: &[u8], reader: crate::reader::Reader) -> Result<Self, Error> {
        let root = tree(Path::new(""), text)?;
        let config = Self::of(text, PathBuf::new(), PathBuf::new());
        Ok(Self { reader, ..config }.filled(&root, &ToolSources::new()))
    }

    /// The configuration, if its text has no faults.
    pub(crate) fn faultless(self) -> Result<Self, Error> {
        if !self.reader.has_faults() {
            return Ok(self);
        }
        let Origin { file, text } = &self.origin;
        let files = self.reader.files.clone();
        Err(Error::of(self.reader.clone().into_findings(file, text)).in_files(files))
    }
}

/// The bytes of a file.
pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>, Error> {
    beginning(file, Limits::default().bytes).map_err(|error| {
        let message = format!("cannot read the file: {error}");
        Error::whole(
            file,
            ConfigCode::UnreadableFile.as_str(),
            message,
            &remedy_of_reading(file, &error),
        )
    })
}

pub(crate) fn tree(file: &Path, text: &[u8]) -> Result<Node, Error> {
    let read = callgate_tree::read(text, &Limits::default());
    let told = |diagnostics: Vec<Diagnostic>| {
        Error::of(diagnostics.iter().map(|diagnostic| textual(file, diagnostic)).collect())
    };
    let read = read.map_err(told)?;
    // A repeated key loses one of its values: an error in a configuration.
    if read.diagnostics.is_empty() { Ok(read.value) } else { Err(told(read.diagnostics)) }
}

fn textual(file: &Path, diagnostic: &Diagnostic) -> Finding {
    Finding {
        file: file.to_owned(),
        code: diagnostic.code.as_str(),
        severity: Severity::Error,
        pointer: diagnostic.pointer.clone(),
        position: diagnostic.position,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        remedy: diagnostic.remedy.clone(),
        option: None,
    }
}

#[cfg(test)]
mod tests;

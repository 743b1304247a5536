//! From the text of a configuration to its values. Every fault is recorded with its place in the text. Files that the
//! configuration names are not read yet, except exports, which contain settings themselves.

use std::{
    io, mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_settings::{
    Finding, Section, SettingCode, Severity, Table, file_beginning, read_error_remedy,
};
use callgate_tree::{Diagnostic, Limits, Node, Object};

use crate::{
    config::{Config, Origin},
    error::Error,
    kinds::Kinds,
    limits,
    session_texts::refuse_session_placeholders,
    tables::RootKeys,
    toolsets::{self, ToolsetLocation},
};

impl Config {
    /// Fills in the values from the tree of the text.
    pub(crate) fn with_tree_values(mut self, root: &Node, kinds: &Kinds) -> Self {
        let mut reader = mem::take(&mut self.reader);
        reader.built = Some("/toolsets/");
        let table = Table { shared: kinds.root_keys(), ..RootKeys::TABLE };
        if let Some(mapping) = reader.checked_mapping(root, "", &table) {
            let toolsets = mapping.object.get("toolsets");
            let named = toolsets.and_then(Node::as_object).into_iter().flat_map(Object::iter);
            reader.toolsets = named.map(|(name, _)| name.to_string()).collect();
            RootKeys::fill(&mut self, &mut reader, mapping);
            if let Some(node) = toolsets {
                let usual = limits::read_common_limits(&mut reader, mapping);
                let root = kinds.read_root_sections(&mut reader, mapping);
                let (pointer, directory, usual) = ("", &*self.base, &usual);
                let place = ToolsetLocation { pointer, directory, usual, kinds, root: &root };
                self.toolsets = toolsets::read_toolsets(&mut reader, node, &place);
            } else if !reader.is_reported_as_misspelt(mapping, "toolsets") {
                let message = "expected the key `toolsets`, got none";
                let help = "name at least one: `toolsets: {pets: {openapi: pets.yaml}}`";
                reader.report_fault(SettingCode::MissingKey, "", message, help);
            }
        }
        refuse_session_placeholders(&mut reader, root);
        Self { reader, ..self }
    }

    pub(crate) fn with_origin(text: &[u8], root: &Node, base: PathBuf, file: PathBuf) -> Self {
        let mut config = Self { base, ..Self::default() };
        if !file.as_os_str().is_empty() {
            config.reader.files.insert(file.clone());
        }
        config.reader.texts.add(text_without_listeners(root).as_bytes());
        Self { origin: Origin { file, text: Arc::from(text) }, ..config }
    }

    /// Reads with a reader that has another source of variables.
    #[cfg(test)]
    fn read_text_with_reader(
        text: &[u8],
        reader: callgate_settings::Reader,
    ) -> Result<Self, Error> {
        let root = parse_tree(Path::new(""), text)?;
        let config = Self::with_origin(text, &root, PathBuf::new(), PathBuf::new());
        Ok(Self { reader, ..config }.with_tree_values(&root, &Kinds::default()))
    }

    /// The configuration, if reading it found no fault.
    ///
    /// # Errors
    /// [`Error`] with every fault, each with its line and column.
    #[doc(hidden)]
    pub fn faultless(self) -> Result<Self, Error> {
        if !self.reader.has_faults() {
            return Ok(self);
        }
        let Origin { file, text } = &self.origin;
        let files = self.reader.files.clone();
        Err(Error::from_findings(self.reader.clone().into_findings(file, text)).with_files(files))
    }
}

/// The part that sidecars which serve the same have in common: all but the addresses at which each of them listens.
fn text_without_listeners(root: &Node) -> String {
    let mut value = root.to_value();
    if let Some(members) = value.as_object_mut() {
        for address in ["admin", "listen"] {
            members.remove(address);
        }
    }
    value.to_string()
}

pub(crate) fn read_bounded_file(file: &Path) -> Result<Vec<u8>, Error> {
    file_beginning(file, Limits::default().bytes)
        .map_err(|error| unreadable_file_error(file, &error))
}

pub(crate) fn unreadable_file_error(file: &Path, error: &io::Error) -> Error {
    let message = format!("cannot read the file: {error}");
    let help = read_error_remedy(file, error);
    Error::for_file(file, SettingCode::UnreadableFile.as_str(), message, &help)
}

pub(crate) fn parse_tree(file: &Path, text: &[u8]) -> Result<Node, Error> {
    let read = callgate_tree::read(text, &Limits::default());
    let told = |diagnostics: Vec<Diagnostic>| {
        Error::from_findings(
            diagnostics
                .into_iter()
                .map(|diagnostic| error_of_diagnostic(file, diagnostic))
                .collect(),
        )
    };
    let read = read.map_err(told)?;
    // A repeated key loses one of its values: an error in a configuration.
    if read.diagnostics.is_empty() { Ok(read.value) } else { Err(told(read.diagnostics)) }
}

/// A finding in the text; what could be kept of a description is an error of a configuration.
fn error_of_diagnostic(file: &Path, diagnostic: Diagnostic) -> Finding {
    Finding::of_diagnostic(file, Diagnostic { severity: Severity::Error, ..diagnostic })
}

#[cfg(test)]
mod tests;

//! `mcp`: how tools are listed to clients of MCP: all of them, or four that find, describe and call the others.

use crate::{
    keys::MCP,
    reader::{Mapping, Reader, at},
};

/// The listing of tools over MCP.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct McpConfig {
    /// The tools that a list shows.
    pub mode: McpMode,
    /// The tokens that all declarations may take for [`McpMode::Auto`] to list them.
    pub tokens: usize,
    /// Tools that are listed in any mode, by their names.
    pub pinned: Vec<String>,
    /// The form of the schemas of arguments.
    pub schemas: McpSchemas,
    /// The form of files in results.
    pub files: McpFiles,
}

/// The form in which results show files to clients of MCP: what is no text, no image and no sound.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever shows results must handle a new one")]
pub enum McpFiles {
    /// A handle, by which `read_result` finds it.
    #[default]
    Handle,
    /// The handle, and the bytes as an embedded resource. Not every client takes one.
    Resource,
}

/// The form in which schemas of arguments are declared to clients of MCP.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever declares tools must handle a new one")]
pub enum McpSchemas {
    /// The keywords that all providers of models take; what else holds of values is said in words.
    #[default]
    Portable,
    /// JSON Schema 2020-12, as arguments are checked by it.
    Whole,
}

/// The tools that a list shows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever lists tools must handle a new one")]
pub enum McpMode {
    /// All of them while their declarations take few tokens, else as [`McpMode::Search`].
    Auto,
    /// All of them.
    #[default]
    Direct,
    /// Four that find, describe and call the others.
    Search,
}

impl Default for McpConfig {
    fn default() -> Self {
        let (mode, schemas) = (McpMode::default(), McpSchemas::default());
        Self { mode, tokens: 10_000, pinned: Vec::new(), schemas, files: McpFiles::default() }
    }
}

/// Reads `mcp:`.
pub(crate) fn read(reader: &mut Reader, root: Mapping<'_>) -> McpConfig {
    let mut config = McpConfig::default();
    let Some(node) = root.object.get("mcp") else { return config };
    let pointer = at(root, "mcp");
    let Some(mapping) = reader.mapping(node, &pointer, &MCP) else { return config };
    let modes = [("auto", McpMode::Auto), ("direct", McpMode::Direct), ("search", McpMode::Search)];
    if let Some(mode) = reader.word(mapping, "mode", &modes) {
        config.mode = mode;
    }
    if let Some(tokens) = reader.count(mapping, "tokens", usize::MAX) {
        config.tokens = tokens;
    }
    let forms = [("portable", McpSchemas::Portable), ("whole", McpSchemas::Whole)];
    if let Some(schemas) = reader.word(mapping, "schemas", &forms) {
        config.schemas = schemas;
    }
    let forms = [("handle", McpFiles::Handle), ("resource", McpFiles::Resource)];
    if let Some(files) = reader.word(mapping, "files", &forms) {
        config.files = files;
    }
    config.pinned = reader.strings(mapping, "pinned").into_iter().map(str::to_owned).collect();
    config
}

#[cfg(test)]
mod tests {
    use crate::{Config, McpFiles, McpMode, McpSchemas};

    #[track_caller]
    fn read(text: &str) -> Config {
        Config::from_text(format!("{text}\ntoolsets: {{pets: {{openapi: pets.yaml}}}}\n"), "")
            .unwrap()
    }

    #[test]
    fn every_key_is_read() {
        let mcp = read("mcp: {mode: search, tokens: 500, pinned: [pets-getPet]}").mcp;
        assert_eq!(
            (mcp.mode, mcp.tokens, &*mcp.pinned),
            (McpMode::Search, 500, &["pets-getPet".to_owned()][..])
        );
        assert_eq!(read("mcp: {mode: auto}").mcp.mode, McpMode::Auto);
        assert_eq!(read("mcp: {schemas: whole}").mcp.schemas, McpSchemas::Whole);
        assert_eq!(read("mcp: {}").mcp.schemas, McpSchemas::Portable);
        assert_eq!(read("mcp: {files: resource}").mcp.files, McpFiles::Resource);
        assert_eq!(read("mcp: {}").mcp.files, McpFiles::Handle);
        assert_eq!(read("").mcp.mode, McpMode::Direct);
    }
}

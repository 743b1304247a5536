//! The key `mcp`: the listing of tools for MCP clients: either all tools, or four tools that find, describe and call
//! the others.

use std::collections::BTreeMap;

use crate::{
    keys::{MCP, MCP_TOOL},
    reader::{Mapping, Reader, at, escaped},
};

/// The listing of tools over MCP.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct McpConfig {
    /// The tools that a list shows.
    pub mode: McpMode,
    /// The token limit of all declarations up to which [`McpMode::Auto`] lists them.
    pub tokens: usize,
    /// Tools that are listed in any mode, by their names.
    pub pinned: Vec<String>,
    /// The form of the schemas of arguments.
    pub schemas: McpSchemas,
    /// The form of files in results.
    pub files: McpFiles,
    /// The hints about single tools, by their names.
    pub tools: BTreeMap<String, McpTool>,
}

/// The hints about a tool for MCP clients; each `None` follows from the tool's description and method.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct McpTool {
    /// The name that people see.
    pub title: Option<String>,
    /// True if the tool changes nothing.
    pub read_only: Option<bool>,
    /// True if the tool may replace or remove something.
    pub destructive: Option<bool>,
    /// True if a second call has no further effect.
    pub idempotent: Option<bool>,
    /// True if the tool reaches beyond a closed set of things.
    pub open_world: Option<bool>,
}

/// The form of files in results for MCP clients: files other than text, images and sound.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever shows results must handle a new one")]
pub enum McpFiles {
    /// A handle, which `read_result` reads.
    #[default]
    Handle,
    /// The handle, and the bytes as an embedded resource. Not every client supports these.
    Resource,
}

/// The form of argument schemas for MCP clients.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever declares tools must handle a new one")]
pub enum McpSchemas {
    /// The keywords that all providers of models support; other rules about values become words.
    #[default]
    Portable,
    /// The JSON Schema 2020-12 that arguments are checked against.
    Whole,
}

/// The tools that a list shows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever lists tools must handle a new one")]
pub enum McpMode {
    /// All tools while their declarations take few tokens, otherwise like [`McpMode::Search`].
    #[default]
    Auto,
    /// All tools.
    Direct,
    /// Four tools that find, describe and call the others.
    Search,
}

impl Default for McpConfig {
    fn default() -> Self {
        let (mode, schemas) = (McpMode::default(), McpSchemas::default());
        let (files, tools) = (McpFiles::default(), BTreeMap::new());
        Self { mode, tokens: 10_000, pinned: Vec::new(), schemas, files, tools }
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
    config.tools = tools(reader, mapping);
    config
}

fn tools(reader: &mut Reader, mcp: Mapping<'_>) -> BTreeMap<String, McpTool> {
    let Some(node) = mcp.object.get("tools") else { return BTreeMap::new() };
    let pointer = at(mcp, "tools");
    let Some(object) = node.as_object() else {
        let help = "for example `{pets-searchPets: {read_only: true}}`";
        reader.expected(&pointer, "a mapping from tools to what they are said to be", node, help);
        return BTreeMap::new();
    };
    let mut tools = BTreeMap::new();
    for (name, node) in object.iter() {
        let pointer = format!("{pointer}/{}", escaped(name));
        let Some(mapping) = reader.mapping(node, &pointer, &MCP_TOOL) else { continue };
        let tool = McpTool {
            title: reader.string(mapping, "title").map(str::to_owned),
            read_only: reader.boolean(mapping, "read_only"),
            destructive: reader.boolean(mapping, "destructive"),
            idempotent: reader.boolean(mapping, "idempotent"),
            open_world: reader.boolean(mapping, "open_world"),
        };
        tools.insert(name.to_string(), tool);
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::McpTool;
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
        assert_eq!(read("mcp: {mode: direct}").mcp.mode, McpMode::Direct);
        assert_eq!(read("mcp: {schemas: whole}").mcp.schemas, McpSchemas::Whole);
        assert_eq!(read("mcp: {}").mcp.schemas, McpSchemas::Portable);
        assert_eq!(read("mcp: {files: resource}").mcp.files, McpFiles::Resource);
        assert_eq!(read("mcp: {}").mcp.files, McpFiles::Handle);
        let mcp = read("mcp: {tools: {pets-find: {title: Find, read_only: true}}}").mcp;
        let expected =
            McpTool { title: Some("Find".to_owned()), read_only: Some(true), ..McpTool::default() };
        assert_eq!(mcp.tools.get("pets-find"), Some(&expected));
        assert_eq!(read("").mcp.mode, McpMode::Auto);
    }
}

//! The key `mcp`: the listing of tools for MCP clients: either all tools, or four tools that find, describe and call
//! the others.

use std::collections::BTreeMap;

use callgate_executor::{Entry, Executor};
use callgate_settings::{Count, Kind, forms, settings, words};

settings! {
    /// The listing of tools over MCP.
    #[derive(Clone, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct McpConfig in "`mcp`" {
        /// The form of files in results, other than text, images and sound: a handle (`handle`, the default), or also
        /// the bytes as an embedded resource (`resource`), which not every client supports.
        files: McpFiles = McpFiles::Handle;
        /// The tools that a list shows: all while they are few, otherwise four that find, describe and call the
        /// others (`auto`, the default), always all (`direct`), or always the four (`search`).
        mode: McpMode = McpMode::Auto;
        /// Tools that are listed in any mode, by their names.
        pinned: Vec<String> = Vec::new();
        /// The form of the schemas of arguments: the keywords that all providers of models support, the rest in words
        /// (`portable`, the default), or JSON Schema 2020-12 as it is checked (`whole`).
        schemas: McpSchemas = McpSchemas::Portable;
        /// The token limit of all declarations up to which `auto` lists them; 10000 unless given.
        tokens: usize as Count = 10_000;
        /// The hints about single tools, by their names.
        tools: BTreeMap<String, McpTool> as McpTools = BTreeMap::new();
    }
}

impl McpConfig {
    /// True if four tools are listed instead of all that `is_listed` takes.
    #[doc(hidden)]
    pub fn needs_short_tool_list(
        &self,
        executor: &Executor,
        is_listed: impl Fn(Entry<'_>) -> bool,
    ) -> bool {
        match self.mode {
            McpMode::Auto => {
                let listed = executor.entries().filter(|entry| is_listed(*entry));
                let mut declared = listed.filter_map(Entry::declaration);
                // Once the limit is exceeded, the remaining tools are not declared.
                declared
                    .try_fold(self.tokens, |left, tool| left.checked_sub(tool.tokens()))
                    .is_none()
            }
            McpMode::Direct => false,
            McpMode::Search => true,
        }
    }
}

settings! {
    /// The hints about a tool for MCP clients; each `None` follows from the tool's description and method.
    #[derive(Clone, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct McpTool in "a tool of `mcp`" {
        /// `false` where the tool replaces and removes nothing.
        destructive: Option<bool> as bool = None;
        /// `true` where a second call has no further effect.
        idempotent: Option<bool> as bool = None;
        /// `false` where the tool reaches nothing beyond a closed set of things.
        open_world: Option<bool> as bool = None;
        /// `true` where the tool changes nothing, whatever its method. Approvals and retries of callgate itself still
        /// follow the method.
        read_only: Option<bool> as bool = None;
        /// The name that people see; the operation's `summary` unless given.
        title: Option<String> as String = None;
    }
}

forms! {
    struct McpTools => BTreeMap<String, McpTool>, Kind::Map(&McpTool::KIND), |reader, mapping, key| {
        let help = "for example `{pets-searchPets: {read_only: true}}`";
        reader.named_values::<McpTool, _>(mapping, key, "a mapping from tools to what they are said to be", help)
    };
}

/// The form of files in results for MCP clients: files other than text, images and sound.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum McpFiles {
    /// A handle, which `read_result` reads.
    #[default]
    Handle,
    /// The handle, and the bytes as an embedded resource. Not every client supports these.
    Resource,
}

/// The form of argument schemas for MCP clients.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum McpSchemas {
    /// The keywords that all providers of models support; other rules about values become words.
    #[default]
    Portable,
    /// The JSON Schema 2020-12 that arguments are checked against.
    Whole,
}

/// The tools that a list shows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum McpMode {
    /// All tools while their declarations take few tokens, otherwise like [`McpMode::Search`].
    #[default]
    Auto,
    /// All tools.
    Direct,
    /// Four tools that find, describe and call the others.
    Search,
}

words! { McpFiles, "leave it out for the default": "handle" => Handle, "resource" => Resource }
words! { McpMode, "leave it out for the default": "auto" => Auto, "direct" => Direct, "search" => Search }
words! { McpSchemas, "leave it out for the default": "portable" => Portable, "whole" => Whole }

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
    fn every_key_of_the_mcp_section_is_read() {
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

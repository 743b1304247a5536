//! The flags of `callgate mcp`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::source::SourceArguments;

#[derive(Args, Debug)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// A session as a JSON file, as for `callgate call`; `_meta` of a request (`callgate/session`) completes it
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Print the lines that the file of a host needs to start this command, and serve nothing
    #[arg(long, value_name = "HOST")]
    pub(crate) print_config: Option<McpHost>,
}

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum McpHost {
    /// Claude Desktop (`claude_desktop_config.json`) and Claude Code (`.mcp.json`)
    Claude,
    /// Codex (`~/.codex/config.toml`)
    Codex,
    /// Cursor (`.cursor/mcp.json`)
    Cursor,
    /// Gemini CLI (`.gemini/settings.json`)
    Gemini,
    /// Visual Studio Code (`.vscode/mcp.json`)
    Vscode,
    /// Windsurf (`mcp_config.json`)
    Windsurf,
}

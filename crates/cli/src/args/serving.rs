//! The flags of `callgate serve` and `callgate mcp`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::source::{DescriptionArguments, SourceArguments};

#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// A callgate configuration, or an OpenAPI description; `./callgate.yaml` unless one is named, else a demo that answers
    /// from recordings
    pub(crate) file: Option<PathBuf>,
    /// The addresses to listen on in place of the configuration's addresses: `127.0.0.1:8410`, `unix:PATH`; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Vec<String>,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}

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

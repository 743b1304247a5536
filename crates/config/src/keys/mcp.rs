//! The keys of `mcp`.

use super::{Kind, Table, key, table, text, texts};

/// The listing of tools over MCP.
pub(crate) const MCP: Table = table(
    "`mcp`",
    &[
        key(
            "files",
            Kind::Choice(&["handle", "resource"]),
            "How results show files, which are no texts, images or sounds: by a handle (`handle`, unless given), or by their bytes as an embedded resource, too (`resource`), which not every client takes",
        ),
        key(
            "mode",
            Kind::Choice(&["auto", "direct", "search"]),
            "The tools that a list shows: all while they are few, otherwise four that find, describe and call the others (`auto`, unless given), always all (`direct`), or always the four (`search`)",
        ),
        texts("pinned", "Tools that are listed in any mode"),
        key(
            "schemas",
            Kind::Choice(&["portable", "whole"]),
            "The form of the schemas of arguments: the keywords that all providers of models take, the rest in words (`portable`, unless given), or JSON Schema 2020-12 as it is checked (`whole`)",
        ),
        key(
            "tokens",
            Kind::Count(usize::MAX),
            "How many tokens all declarations may take for `auto` to list them; 10000 unless given",
        ),
        key(
            "tools",
            Kind::Map(&Kind::Table(&MCP_TOOL)),
            "What single tools are said to be, by their names",
        ),
    ],
);

/// The hints about a tool for MCP clients.
pub(crate) const MCP_TOOL: Table = table(
    "a tool of `mcp`",
    &[
        key("destructive", Kind::Boolean, "`false` where it replaces and removes nothing"),
        key("idempotent", Kind::Boolean, "`true` where a second call changes nothing more"),
        key(
            "open_world",
            Kind::Boolean,
            "`false` where it reaches nothing but a closed set of things",
        ),
        key(
            "read_only",
            Kind::Boolean,
            "`true` where it changes nothing, whatever its method. What callgate itself asks about and sends again still follows the method",
        ),
        text("title", "The name that people see; the operation's `summary` unless given"),
    ],
);

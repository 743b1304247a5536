//! The keys of `mcp`.

use super::{Kind, Table, key, table, texts};

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
            "The tools that a list shows: all (`direct`, unless given), four that find, describe and call the others (`search`), or all while they are few (`auto`)",
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
    ],
);

//! The keys that mean something beside `connection` and those that do not: a toolset calls one kind of thing.

use callgate_settings::{Mapping, Reader, Section, SettingCode, at};

use crate::toolset_keys::ToolsetKeys;

/// Reports keys without an effect: those of other kinds of toolsets beside `connection`, and those of a connection without it.
pub(crate) fn check(reader: &mut Reader, mapping: Mapping<'_>) {
    if !mapping.object.contains("connection") {
        if reader.is_misspelt(mapping, "connection") {
            return;
        }
        for key in ["actions", "user"].iter().filter(|key| mapping.object.contains(key)) {
            let message = format!("expected `connection` with `{key}`, got none");
            let help =
                "write `connection: projects/…/locations/…/connections/…`, or remove the key";
            reader.complain(SettingCode::UnusedKey, at(mapping, key), message, help);
        }
        return;
    }
    for (key, _) in mapping.object.iter() {
        if ToolsetKeys::TABLE.has(key) && !BESIDE.contains(&&**key) {
            let is_source = SOURCES.contains(&&**key);
            let help = if is_source { "put it into a toolset of its own" } else { "remove it" };
            let message = format!("expected no `{key}` beside `connection`, got one");
            reader.complain(SettingCode::UnusedKey, at(mapping, key), message, help);
        }
    }
}

/// The keys of a toolset that mean something beside `connection`.
const BESIDE: [&str; 17] = [
    "actions",
    "auth",
    "baggage",
    "confirm",
    "connection",
    "egress",
    "functions",
    "limits",
    "prefix",
    "required",
    "retry",
    "server",
    "service_directory",
    "tls",
    "tools",
    "upstream",
    "user",
];

/// The other sources of tools.
const SOURCES: [&str; 6] =
    ["ces_toolset", "database", "dialogflow_tool", "documents", "openapi", "vertex"];

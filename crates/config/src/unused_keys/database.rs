//! The keys that mean something beside `database` and those that do not: a toolset calls one kind of thing.

use callgate_settings::{Mapping, Reader, Section, SettingCode, at};
use callgate_tree::Node;

use crate::toolset_keys::ToolsetKeys;

/// Reports keys without an effect: those of other kinds of toolsets beside `database`, and those of a database without it.
pub(crate) fn check(reader: &mut Reader, mapping: Mapping<'_>) {
    if !mapping.object.contains("database") {
        return without(reader, mapping);
    }
    for (key, _) in mapping.object.iter() {
        if ToolsetKeys::TABLE.has(key) && !BESIDE.contains(&&**key) {
            let is_source = SOURCES.contains(&&**key);
            let help = if is_source { "put it into a toolset of its own" } else { "remove it" };
            report_unused_key(reader, at(mapping, key), key, help);
        }
    }
    for (key, allowed) in [("limits", &LIMITS[..]), ("tools", &TOOLS[..])] {
        let Some(object) = mapping.object.get(key).and_then(Node::as_object) else { continue };
        let pointer = at(mapping, key);
        let inner = Mapping { object, pointer: &pointer };
        let of_services =
            if key == "limits" { &LIMITS_OF_SERVICES[..] } else { &TOOLS_OF_SERVICES };
        for (name, _) in object.iter().filter(|(name, _)| of_services.contains(&&***name)) {
            let help =
                format!("remove it; with `database`, `{key}` takes `{}`", allowed.join("`, `"));
            report_unused_key(reader, at(inner, name), name, &help);
        }
    }
}

fn without(reader: &mut Reader, mapping: Mapping<'_>) {
    // A misspelt `database` is reported already.
    if reader.is_misspelt(mapping, "database") {
        return;
    }
    for key in ["entities", "statements", "query"] {
        if mapping.object.contains(key) {
            needs_database(reader, at(mapping, key), key);
        }
    }
    let Some(object) = mapping.object.get("limits").and_then(Node::as_object) else { return };
    let pointer = at(mapping, "limits");
    let is_connection = mapping.object.contains("connection");
    // A connection has rows too.
    let own = LIMITS_OF_DATABASES.iter().filter(|key| !is_connection || **key != "rows");
    for key in own.filter(|key| object.contains(key)) {
        needs_database(reader, format!("{pointer}/{key}"), key);
    }
}

fn needs_database(reader: &mut Reader, pointer: String, key: &str) {
    let message = format!("expected `database` with `{key}`, got none");
    let help = "write `database: {url: env:NAME}` into the toolset, or remove the key";
    reader.complain(SettingCode::UnusedKey, pointer, message, help);
}

fn report_unused_key(reader: &mut Reader, pointer: String, key: &str, help: &str) {
    let message = format!("expected no `{key}` beside `database`, got one");
    reader.complain(SettingCode::UnusedKey, pointer, message, help);
}

/// The keys of a toolset that mean something beside `database`.
const BESIDE: [&str; 11] = [
    "confirm",
    "database",
    "entities",
    "functions",
    "limits",
    "prefix",
    "query",
    "required",
    "statements",
    "tls",
    "tools",
];

/// The other sources of tools.
const SOURCES: [&str; 3] = ["ces_toolset", "dialogflow_tool", "openapi"];

const LIMITS: [&str; 9] = [
    "breaker",
    "concurrency",
    "connections",
    "lock_time",
    "rate",
    "result_bytes",
    "row_bytes",
    "rows",
    "timeout",
];

const LIMITS_OF_DATABASES: [&str; 4] = ["connections", "lock_time", "row_bytes", "rows"];

/// The limits on descriptions, requests and responses.
const LIMITS_OF_SERVICES: [&str; 14] = [
    "alias_bytes",
    "all_declarations_effort",
    "declaration_effort",
    "description_bytes",
    "description_depth",
    "description_effort",
    "description_nodes",
    "effort_per_byte",
    "media_bytes",
    "operations",
    "request_bytes",
    "response_bytes",
    "shared_definitions_effort",
    "tool_tokens",
];

const TOOLS: [&str; 4] = ["edit", "exclude", "include", "read_only"];

/// The criteria of a description's operations.
const TOOLS_OF_SERVICES: [&str; 3] = ["methods", "paths", "tags"];

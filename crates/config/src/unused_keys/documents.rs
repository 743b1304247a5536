//! The keys that mean something beside `documents` and those that do not: a toolset calls one kind of thing.

use callgate_settings::{Mapping, Reader, Section, SettingCode, at, escaped};
use callgate_tree::Node;

use crate::toolset_keys::ToolsetKeys;

/// Reports keys without an effect: those of other kinds of toolsets beside `documents`, and limits of documents without it.
pub(crate) fn check(reader: &mut Reader, mapping: Mapping<'_>) {
    let inner = |key: &str| mapping.object.get(key).and_then(Node::as_object);
    if !mapping.object.contains("documents") {
        // A misspelt `documents` is reported already.
        if reader.is_misspelt(mapping, "documents") {
            return;
        }
        let is_search = mapping.object.contains("vertex");
        let own = LIMITS.iter().filter(|key| !SHARED_LIMITS.contains(key));
        // A search of data stores has snippets too.
        let own = own.filter(|key| !is_search || **key != "snippets");
        for key in own.filter(|key| inner("limits").is_some_and(|limits| limits.contains(key))) {
            let message = format!("expected `documents` with `{key}`, got none");
            let help = "write `documents: {folder: FOLDER}` into the toolset, or remove the key";
            let pointer = format!("{}/{key}", at(mapping, "limits"));
            reader.complain(SettingCode::UnusedKey, pointer, message, help);
        }
        return;
    }
    for (key, _) in mapping.object.iter() {
        if ToolsetKeys::TABLE.has(key) && !BESIDE.contains(&&**key) {
            let is_source = SOURCES.contains(&&**key);
            let help = if is_source { "put it into a toolset of its own" } else { "remove it" };
            unused(reader, at(mapping, key), key, help);
        }
    }
    for (key, allowed) in [("limits", &LIMITS[..]), ("tools", &TOOLS[..])] {
        let members = inner(key).into_iter().flat_map(callgate_tree::Object::iter);
        for (name, _) in members.filter(|(name, _)| !allowed.contains(&&***name)) {
            let pointer = format!("{}/{}", at(mapping, key), escaped(name));
            let help =
                format!("remove it; with `documents`, `{key}` takes `{}`", allowed.join("`, `"));
            unused(reader, pointer, name, &help);
        }
    }
}

fn unused(reader: &mut Reader, pointer: String, key: &str, help: &str) {
    // A misspelt key is reported already.
    if reader.complaints.iter().any(|complaint| complaint.pointer == pointer) {
        return;
    }
    let message = format!("expected no `{key}` beside `documents`, got one");
    reader.complain(SettingCode::UnusedKey, pointer, message, help);
}

/// The keys of a toolset that mean something beside `documents`.
const BESIDE: [&str; 6] = ["confirm", "documents", "functions", "limits", "prefix", "tools"];

/// The other sources of tools.
const SOURCES: [&str; 6] =
    ["ces_toolset", "connection", "database", "dialogflow_tool", "openapi", "vertex"];

const LIMITS: [&str; 9] = [
    "breaker",
    "concurrency",
    "file_bytes",
    "files",
    "folder_bytes",
    "folder_depth",
    "rate",
    "result_bytes",
    "snippets",
];

/// The limits that other kinds of toolsets have too.
const SHARED_LIMITS: [&str; 4] = ["breaker", "concurrency", "rate", "result_bytes"];

const TOOLS: [&str; 4] = ["edit", "exclude", "include", "read_only"];

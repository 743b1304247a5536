//! The keys that mean something beside `vertex` and those that do not: a toolset calls one kind of thing.

use callgate_settings::{Mapping, Reader, Section, SettingCode, at};

use crate::toolset_keys::ToolsetKeys;

/// Reports keys without an effect beside `vertex`.
pub(crate) fn check(reader: &mut Reader, mapping: Mapping<'_>) {
    if !mapping.object.contains("vertex") {
        return;
    }
    for (key, _) in mapping.object.iter() {
        if ToolsetKeys::TABLE.has(key) && !BESIDE.contains(&&**key) {
            let message = format!("expected no `{key}` beside `vertex`, got one");
            reader.complain(SettingCode::UnusedKey, at(mapping, key), message, "remove it");
        }
    }
}

/// The keys of a toolset that mean something beside `vertex`.
const BESIDE: [&str; 14] = [
    "auth",
    "baggage",
    "confirm",
    "egress",
    "functions",
    "limits",
    "prefix",
    "retry",
    "server",
    "service_directory",
    "tls",
    "tools",
    "upstream",
    "vertex",
];

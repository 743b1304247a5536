//! The trait of a kind of toolset: its keys, its codes, and the way from a text to its settings.

use std::{fmt, sync::Arc};

use callgate_settings::{Key, Mapping, Reader, SettingCode, member_pointer};

use crate::{kept_value::Kept, settings::KindSettings};

/// A kind of toolset. A program registers it; it has no state.
pub trait ToolsetKind: fmt::Debug + Send + Sync {
    /// The key of a toolset that names its source: `documents`.
    fn key(&self) -> &'static str;

    /// The key with a value, for remedies: `documents: {folder: FOLDER}`.
    fn example_setting(&self) -> &'static str;

    /// The keys that it declares.
    fn keys(&self) -> KindKeys;

    /// The common keys that mean something beside its own.
    fn common_keys(&self) -> Beside;

    /// The codes of its findings, each with its explanation.
    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)>;

    /// Reads its keys of the whole configuration, once for all toolsets.
    fn read_root_keys(&self, reader: &mut Reader, root: Mapping<'_>) -> Option<Kept> {
        _ = (reader, root);
        None
    }

    /// Reads the settings of a toolset. Returns `None` after a reported fault. `root` is what [`ToolsetKind::read_root_keys`] returned.
    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        root: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>>;
}

/// The keys that a kind declares.
#[derive(Clone, Copy, Debug, Default)]
pub struct KindKeys {
    /// The keys of a toolset.
    pub toolset: &'static [Key],
    /// The keys of `limits` of a toolset that no other kind has.
    pub limits: &'static [Key],
    /// The keys of the whole configuration.
    pub root: &'static [Key],
}

/// The common keys that mean something beside those of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// The keys of the toolset.
    pub keys: &'static [&'static str],
    /// The keys of `limits`, with its own; `None` for all.
    pub limits: Option<&'static [&'static str]>,
    /// The keys of `tools`; `None` for all.
    pub tools: Option<&'static [&'static str]>,
}

/// Warns of limits on requests and results of a toolset whose tools another one runs in place of a service: `toolset`, whose limits hold.
/// `own` are the kind's own limits.
pub fn warn_of_replaced_limits(
    reader: &mut Reader,
    limits: Mapping<'_>,
    own: &[Key],
    toolset: &str,
) {
    let of_calls = LIMITS_OF_CALLS.iter().filter(|key| !LIMITS_OF_ALL.contains(key)).copied();
    for key in of_calls.chain(own.iter().map(|key| key.name)) {
        if limits.object.contains(key) {
            let message = format!(
                "expected no `{key}`, since the toolset `{toolset}` runs the calls, and its limits hold; got one"
            );
            reader.warn(SettingCode::UnusedKey, member_pointer(limits, key), &message, "remove it");
        }
    }
}

/// The keys of `tools` that select tools without methods, paths and tags.
pub const SELECTION_BY_NAME: &[&str] = &["edit", "exclude", "include", "read_only"];
/// Those that hold for calls of every kind of tool.
const LIMITS_OF_ALL: [&str; 3] = ["breaker", "concurrency", "rate"];
/// The common keys of `limits` of tools that call a service which no description describes.
pub const LIMITS_OF_CALLS: &[&str] = &[
    "breaker",
    "concurrency",
    "rate",
    "request_bytes",
    "response_bytes",
    "result_bytes",
    "timeout",
];

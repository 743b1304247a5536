//! The names of the arguments of tools that Google's agents know under other names.

use callgate_settings::words;

/// The names of a tool's arguments, and of the parts of its result.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ArgumentForm {
    /// Those of Google's agents: `entityId`, `filterClause`, fields beside each other.
    Google,
    /// Those of callgate: `where`, `set`, the key by its own name.
    #[default]
    Own,
}

words! {
    ArgumentForm, "`google` has the names that Google's agents know":
    "google" => Google, "own" => Own
}

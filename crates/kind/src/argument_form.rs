//! The names of the arguments of tools that Google's agents know under other names.

use callgate_settings::words;

/// The names of a tool's arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ArgumentForm {
    /// Those of Google's agents.
    Google,
    /// Those of callgate.
    Own,
}

words! {
    ArgumentForm, "`google` has the names that Google's agents know":
    "google" => Google, "own" => Own
}

//! The place of a call's settings, as remedies name it: flags of the command, or keys of a file. Which setting helps is
//! known to the caller.

use std::path::Path;

use callgate::{Entry, config::BuiltToolset};

use crate::file_argument::{is_standard_input, resolve_file};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Place {
    /// The file of a fixture's toolset, in words.
    Fixture(String),
    /// The flags of the command: a bare description is called.
    Flags,
    Toolset {
        /// Its name; empty if no toolset has the tool.
        name: String,
        /// The file of the configuration, in words.
        file: String,
    },
}

impl Place {
    pub(super) fn new(file: &Path, toolsets: &[BuiltToolset], entry: Option<Entry<'_>>) -> Self {
        // The only toolset of a bare description has no name.
        if matches!(toolsets, [one] if one.name.is_empty()) {
            return Self::Flags;
        }
        let name = entry.map(|entry| entry.toolset().to_owned()).unwrap_or_default();
        Self::Toolset { name, file: file_label(&resolve_file(file)) }
    }

    pub(super) fn of_fixture(file: &Path) -> Self {
        Self::Fixture(file_label(file))
    }

    /// A setting in words: `flags`, or `keys` and their place.
    pub(super) fn setting_words(&self, flags: &str, keys: &str) -> String {
        match self {
            Self::Fixture(file) => format!("{keys} in {file}"),
            Self::Flags => flags.to_owned(),
            Self::Toolset { name, file } if name.is_empty() => {
                format!("{keys} of the toolset in {file}")
            }
            Self::Toolset { name, file } => format!("{keys} of the toolset `{name}` in {file}"),
        }
    }

    /// A setting in words, whose flag a configuration can be called with, too.
    pub(super) fn overridable_setting_words(&self, flag: &str, keys: &str) -> String {
        let setting = self.setting_words(flag, keys);
        match self {
            Self::Fixture(_) | Self::Flags => setting,
            Self::Toolset { .. } => format!("{flag} or {setting}"),
        }
    }
}

fn file_label(file: &Path) -> String {
    if is_standard_input(file) {
        return "standard input".to_owned();
    }
    format!("`{}`", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: &Place, expected: [&str; 2]) {
        let told = [
            place.setting_words("`--a`", "`a:`"),
            place.overridable_setting_words("`--a`", "`a:`"),
        ];
        assert_eq!(told, expected, "{place:?}");
    }

    #[test]
    fn a_suggested_setting_names_its_flag_or_its_file() {
        let toolset = |name: &str, file: &str| Place::Toolset {
            name: name.to_owned(),
            file: file_label(Path::new(file)),
        };
        check(&Place::Flags, ["`--a`", "`--a`"]);
        let fixture = Place::of_fixture(Path::new("pets/toolset.yaml"));
        check(&fixture, ["`a:` in `pets/toolset.yaml`", "`a:` in `pets/toolset.yaml`"]);
        let told = "`a:` of the toolset `pets` in `callgate.yaml`";
        check(&toolset("pets", "callgate.yaml"), [told, &format!("`--a` or {told}")]);
        let told = "`a:` of the toolset in standard input";
        check(&toolset("", "-"), [told, &format!("`--a` or {told}")]);
    }
}

//! The folders of callgate in the user's home, with the names of the XDG Base Directory Specification 0.8 on every platform.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The folder of fetched descriptions; `None` if the user has no home.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    user_folder("XDG_CACHE_HOME", ".cache")
}

pub(crate) fn profiles_folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config")
}

pub(crate) fn state_folder() -> Option<PathBuf> {
    user_folder("XDG_STATE_HOME", ".local/state")
}

/// The folder below the one that a variable names, or below one in the home. A relative path is ignored, as the
/// specification requires.
fn user_folder(variable: &str, usual: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = || env::home_dir().filter(|home| home.is_absolute());
    let base = named.or_else(|| home().map(|home| home.join(usual)))?;
    Some(base.join(NAME))
}

const NAME: &str = "callgate";

/// The profile that a file belongs to; `None` for a file elsewhere.
pub(crate) fn profile_of_file(file: &Path) -> Option<String> {
    let is_profile =
        file.parent().is_some_and(|folder| profiles_folder().as_deref() == Some(folder));
    let name = file.file_stem().filter(|_| is_profile)?.to_str()?;
    Some(name.to_owned())
}

pub(crate) fn profile_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.yaml"))
}

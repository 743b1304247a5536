//! The argument FILE of the command line: an existing file or folder, standard input (`-`), an address, or a
//! profile. An existing file wins.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use callgate::config::Error;
use callgate_config::{Location, MAX_FILE_BYTES, read_file};
use callgate_tool::nearest;

use crate::{exit::Failure, folders};

pub(crate) fn file_location(given: &Path) -> Result<Location, Error> {
    if is_standard_input(given) {
        return Ok(Location::Text(given.to_owned(), read_stdin_once()?));
    }
    match Location::parse(given)? {
        Location::File(file) if !file.exists() => Ok(Location::File(profile_or_file(&file)?)),
        Location::File(file) => Ok(Location::File(file_in_folder(file))),
        other => Ok(other),
    }
}

/// The configuration that is named, else `./callgate.yaml`, which must be there. `usage` is the command that names one.
pub(crate) fn named_or_usual_file<'a>(
    given: Option<&'a Path>,
    usage: &str,
) -> Result<&'a Path, Failure> {
    let usual = Path::new(USUAL_FILE);
    match given {
        Some(given) => Ok(given),
        None if usual.exists() => Ok(usual),
        None => {
            let message = "expected a configuration, got none: there is no `./callgate.yaml`";
            let help =
                format!("name one: `{usage}`, or make one: `callgate init NAME FILE|URL --here`");
            Err(Failure::with_help(message, &help))
        }
    }
}

/// The file that FILE names: that of a profile or of a folder, else FILE itself.
pub(crate) fn resolve_file(given: &Path) -> PathBuf {
    let Ok(Location::File(file)) = file_location(given) else { return given.to_owned() };
    file
}

/// Replaces a folder by its `callgate.yaml`, if it has one.
fn file_in_folder(file: PathBuf) -> PathBuf {
    let inside = file.join(USUAL_FILE);
    if inside.is_file() { inside } else { file }
}

/// The profile that a name without a separator or an ending belongs to; other texts stay the files they name.
fn profile_or_file(given: &Path) -> Result<PathBuf, Error> {
    let Some(name) = given.to_str().filter(|name| is_profile_name(name)) else {
        return missing_profile_file_error(given).map_or_else(|| Ok(given.to_owned()), Err);
    };
    let folder = folders::profiles_folder();
    let file = folder.as_deref().map(|folder| folders::profile_file(folder, name));
    if let Some(file) = file.filter(|file| file.is_file()) {
        return Ok(file);
    }
    let existing_names = folder.as_deref().map(profile_names).unwrap_or_default();
    let message = format!("there is no file and no profile of the name `{name}`");
    let help = match nearest(name, existing_names.iter().map(String::as_str)) {
        Some(nearest) => format!("did you mean the profile `{nearest}`?"),
        None => format!("`callgate init {name} FILE|URL` makes a profile"),
    };
    Err(Error::for_file(given, "unreadable-file", message, &help))
}

/// The fault of a file that is not there and has the name of a profile: `shop.yaml` for the profile `shop`.
fn missing_profile_file_error(given: &Path) -> Option<Error> {
    let stem = given.to_str()?.strip_suffix(".yaml").filter(|stem| is_profile_name(stem))?;
    folders::profiles_folder().filter(|folder| folders::profile_file(folder, stem).is_file())?;
    let message = format!("there is no file `{stem}.yaml` here; there is a profile `{stem}`");
    let help = format!("did you mean the profile `{stem}`?");
    Some(Error::for_file(given, "unreadable-file", message, &help))
}

/// True if a text may be the name of a profile.
pub(crate) fn is_profile_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_part)
}

pub(crate) fn profile_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let name = |file: PathBuf| {
        let is_profile = file.extension().is_some_and(|ending| ending == "yaml");
        let name = file.file_stem()?.to_str()?.to_owned();
        (is_profile && is_profile_name(&name)).then_some(name)
    };
    let mut names: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
    names.sort();
    names
}

pub(crate) fn is_standard_input(file: &Path) -> bool {
    file == Path::new(STANDARD_INPUT)
}

/// The text of a finding's file; for standard input, the text that was read.
pub(crate) fn read_file_or_stdin(file: &Path) -> io::Result<Vec<u8>> {
    match READ.get().filter(|_| is_standard_input(file)) {
        Some(text) => Ok(text.to_vec()),
        None => read_file(file, MAX_FILE_BYTES),
    }
}

/// Reads standard input to its end, within the size limit of files, and only once.
fn read_stdin_once() -> Result<Arc<[u8]>, Error> {
    if let Some(text) = READ.get() {
        return Ok(Arc::clone(text));
    }
    let fault = |message: String| {
        let help = "name a file instead";
        Error::for_file(Path::new(STANDARD_INPUT), "unreadable-file", message, help)
    };
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let mut text = Vec::new();
    let read = io::stdin().lock().take(most.saturating_add(1)).read_to_end(&mut text);
    read.map_err(|error| fault(format!("cannot read standard input: {error}")))?;
    if text.len() > MAX_FILE_BYTES {
        let message =
            format!("expected at most {MAX_FILE_BYTES} bytes on standard input, got more");
        return Err(fault(message));
    }
    Ok(Arc::clone(READ.get_or_init(|| text.into())))
}

static READ: OnceLock<Arc<[u8]>> = OnceLock::new();

const STANDARD_INPUT: &str = "-";

pub(crate) const USUAL_FILE: &str = "callgate.yaml";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_name_has_only_letters_digits_and_dashes() {
        for (text, expected) in [
            ("github", true),
            ("my_api-2", true),
            ("a.yaml", false),
            ("./a", false),
            ("-", false),
            ("", false),
        ] {
            assert_eq!(is_profile_name(text), expected, "{text}");
        }
    }

    #[test]
    fn the_profiles_of_a_folder_are_listed_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pets.yaml", "a.json", "b c.yaml", "api.yaml"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(profile_names(folder.path()), ["api", "pets"]);
        assert!(profile_names(&folder.path().join("none")).is_empty());
    }
}

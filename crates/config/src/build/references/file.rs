//! Reads a file that a description refers to, if it is in the description's directory or below it. Links are followed
//! before this check.

use std::{
    fs,
    path::{Path, PathBuf},
};

use callgate_openapi::Unavailable;
use callgate_settings::file_beginning;

use super::{forbidden_document, unreadable_document};

/// The directory of a description, with links followed.
pub(super) fn description_directory(file: &Path) -> Option<PathBuf> {
    let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
    fs::canonicalize(directory.unwrap_or_else(|| Path::new("."))).ok()
}

/// The bytes of the file `name` in `directory`, at most `most`.
pub(super) fn read_document(
    directory: &Path,
    name: &str,
    most: usize,
) -> Result<Vec<u8>, Unavailable> {
    let missing = |_| unreadable_document("a reference to a file that is there");
    let path = fs::canonicalize(directory.join(name)).map_err(missing)?;
    if !path.starts_with(directory) {
        return Err(forbidden_document(
            "a file in the description's own directory, not a link out of it",
        ));
    }
    let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return Err(unreadable_document("a reference to a file"));
    }
    let text = file_beginning(&path, most)
        .map_err(|_| unreadable_document("a reference to a readable file"))?;
    if text.len() > most {
        return Err(unreadable_document("fewer bytes in all documents together"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use callgate_openapi::UnavailableReason;

    use super::*;

    #[track_caller]
    fn check(directory: &Path, name: &str, expected: Result<&str, UnavailableReason>) {
        let got = read_document(directory, name, 16).map(|text| String::from_utf8(text).unwrap());
        let got = got.map_err(|why| why.reason);
        assert_eq!(got, expected.map(str::to_owned), "{name}");
    }

    #[test]
    fn only_files_below_the_configured_directory_are_read() {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        let inner = outer.path().join("specs");
        fs::create_dir_all(inner.join("parts")).unwrap();
        fs::write(inner.join("parts/a.yaml"), "a").unwrap();
        fs::write(inner.join("long.yaml"), "a".repeat(17)).unwrap();
        let directory = description_directory(&inner.join("openapi.yaml")).unwrap();
        check(&directory, "parts/a.yaml", Ok("a"));
        check(&directory, "nothing.yaml", Err(UnavailableReason::Unreadable));
        check(&directory, "parts", Err(UnavailableReason::Unreadable));
        check(&directory, "long.yaml", Err(UnavailableReason::Unreadable));
        check(&directory, "../secret", Err(UnavailableReason::Forbidden));
        check(&directory, "/etc/passwd", Err(UnavailableReason::Forbidden));
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_allowed_by_its_target() {
        use std::os::unix::fs::symlink;
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        let inner = outer.path().join("specs");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("a.yaml"), "a").unwrap();
        symlink(outer.path().join("secret"), inner.join("out")).unwrap();
        symlink(outer.path(), inner.join("up")).unwrap();
        symlink("a.yaml", inner.join("in")).unwrap();
        let directory = description_directory(&inner.join("openapi.yaml")).unwrap();
        check(&directory, "in", Ok("a"));
        check(&directory, "out", Err(UnavailableReason::Forbidden));
        check(&directory, "up/secret", Err(UnavailableReason::Forbidden));
        check(&directory, "up/specs/a.yaml", Ok("a"));
    }
}

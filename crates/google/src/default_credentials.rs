//! Finds application default credentials where Google's tools put them (AIP-4110, AIP-4113).

use std::{env, ffi::OsString, io, path::PathBuf};

use callgate_secret::{Secret, read_untrimmed_key_file};

use crate::error::{self, Error};

/// The text of the file of application default credentials. `None` when there is no file: then the metadata server is
/// asked.
pub(crate) fn read_default_credentials() -> Result<Option<(PathBuf, Secret)>, Error> {
    let Some((path, is_named)) = path_and_is_explicit(|name| env::var_os(name)) else {
        return Ok(None);
    };
    match read_untrimmed_key_file(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(source) if !is_named && source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(error::unreadable_file(path.display(), &source)),
    }
}

/// The path of the file, and true if the operator named it: a named file must exist.
fn path_and_is_explicit(variable: impl Fn(&str) -> Option<OsString>) -> Option<(PathBuf, bool)> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = set("GOOGLE_APPLICATION_CREDENTIALS") {
        return Some((path, true));
    }
    let folder = set("CLOUDSDK_CONFIG").or_else(|| {
        if cfg!(windows) {
            return set("APPDATA").map(|root| root.join("gcloud"));
        }
        set("HOME").map(|root| root.join(".config/gcloud"))
    })?;
    Some((folder.join("application_default_credentials.json"), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: Option<(&str, bool)>) {
        let known = |name: &str| {
            variables.iter().find(|(entry, _)| *entry == name).map(|(_, value)| (*value).into())
        };
        assert_eq!(
            path_and_is_explicit(known),
            expected.map(|(path, is_named)| (path.into(), is_named))
        );
    }

    #[test]
    fn the_file_of_the_credentials_variable_precedes_the_default_file() {
        let well_known = "/home/a/.config/gcloud/application_default_credentials.json";
        check(&[], None);
        check(
            &[("GOOGLE_APPLICATION_CREDENTIALS", "/k.json"), ("HOME", "/home/a")],
            Some(("/k.json", true)),
        );
        check(
            &[("GOOGLE_APPLICATION_CREDENTIALS", ""), ("CLOUDSDK_CONFIG", "/c")],
            Some(("/c/application_default_credentials.json", false)),
        );
        if cfg!(unix) {
            check(&[("HOME", "/home/a")], Some((well_known, false)));
        }
    }
}

//! The key of a file of state that no configuration names: a file beside it, for its owner alone.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_secret::Secret;
use callgate_session::Error;

use crate::error;

/// The name of the key file of a file of state: the same name with `.key` after it.
pub(crate) fn key_file_path(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".key");
    name.into()
}

/// The key in a file. Without the file, a new key is drawn where `may_draw`.
pub(crate) fn read_or_draw_key(path: &Path, may_draw: bool) -> Result<Secret, Error> {
    match fs::read_to_string(path) {
        Ok(text) => {
            check_owner_only(path)?;
            let is_key =
                BASE64_STANDARD.decode(text.trim()).is_ok_and(|key| key.len() == KEY_BYTES);
            is_key
                .then(|| Secret::new(text.trim().to_owned()))
                .ok_or_else(|| error::not_a_key(path))
        }
        Err(failure) if failure.kind() == io::ErrorKind::NotFound && may_draw => {
            create_key_file(path)
        }
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => Err(error::missing_key(path)),
        Err(failure) => Err(error::file_error(path, failure)),
    }
}

fn create_key_file(path: &Path) -> Result<Secret, Error> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(|_| error::no_random())?;
    let text = BASE64_STANDARD.encode(key);
    replace_key_file(path, &text).map_err(|failure| error::file_error(path, failure))?;
    Ok(Secret::new(text))
}

/// Writes the key under another name first, so that there is never half a key.
fn replace_key_file(path: &Path, text: &str) -> io::Result<()> {
    let mut other = OsString::from(path);
    other.push(".new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&other)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&other, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
}

#[cfg(unix)]
fn check_owner_only(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt as _;

    let metadata = fs::metadata(path).map_err(|failure| error::file_error(path, failure))?;
    match metadata.permissions().mode() & OTHERS {
        0 => Ok(()),
        _ => Err(error::shared_key(path)),
    }
}

#[cfg(not(unix))]
fn check_owner_only(_: &Path) -> Result<(), Error> {
    Ok(())
}

const KEY_BYTES: usize = 32;
/// The permissions of others than the owner.
#[cfg(unix)]
const OTHERS: u32 = 0o077;

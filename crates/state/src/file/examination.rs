//! Looks at a file of state without its lock, while a sidecar may have it: its form, and the key beside it.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use callgate_session::Error;

use super::connect::{APPLICATION, FORM};
use crate::{error, key_file};

/// The state of the file, or the reason why no sidecar can open it. `has_key` if the configuration names the key.
pub(super) fn file_status(path: &Path, has_key: bool) -> Result<String, Error> {
    let size = match fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => {
            return examine_absent_file(path);
        }
        Err(failure) => return Err(error::file_error(path, failure)),
    };
    if size == 0 {
        return Ok("empty".to_owned());
    }
    check_file_head(path)?;
    if has_key {
        return Ok(format!("{size} bytes"));
    }
    let key = key_file::key_file_path(path);
    key_file::read_or_draw_key(&key, false)?;
    Ok(format!("{size} bytes, sealed with {}", key.display()))
}

/// The first sidecar makes the file, and not its folder.
fn examine_absent_file(path: &Path) -> Result<String, Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let metadata = fs::metadata(folder).map_err(|failure| error::file_error(folder, failure))?;
    if !metadata.is_dir() {
        return Err(error::file_error(folder, io::ErrorKind::NotADirectory.into()));
    }
    Ok("not made yet".to_owned())
}

/// Reads the head of the database itself: the library would take a lock, or make files beside it.
fn check_file_head(path: &Path) -> Result<(), Error> {
    let mut head = [0; 100];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    match read {
        Err(failure) if failure.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(error::another_kind(path));
        }
        read => read.map_err(|failure| error::file_error(path, failure))?,
    }
    if !head.starts_with(b"SQLite format 3\0") {
        return Err(error::another_kind(path));
    }
    // https://www.sqlite.org/fileformat.html §1.3: numbers are big-endian.
    let number = |at: usize| {
        let bytes = head.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        i64::from(u32::from_be_bytes(bytes.unwrap_or_default()))
    };
    match (number(68), number(60)) {
        // What a new file is made of is still in its log.
        (0, 0) | (APPLICATION, FORM) => Ok(()),
        (APPLICATION, other) => Err(error::another_release(path, other)),
        _ => Err(error::another_program(path)),
    }
}

//! The file that an address names: `sqlite:FILE`. No message holds the address, which is a secret.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// The file, relative to `base`.
pub(super) fn file(address: &str, base: &Path) -> Result<PathBuf, Error> {
    let (_, rest) = address.split_once(':').unwrap_or_default();
    let name = rest.strip_prefix("//").unwrap_or(rest);
    let fault = match name {
        "" => Some("the address of a file of SQLite is `sqlite:FILE`, and the file is missing"),
        ":memory:" => Some("the database must be in a file: nothing is in `:memory:`"),
        name if name.starts_with("file:") || name.contains('?') => {
            Some("the address of a file of SQLite takes no parameters")
        }
        name if name.contains('\0') => Some("the name of a file holds no zero byte"),
        _ => None,
    };
    if let Some(fault) = fault {
        return Err(Error::new(ErrorKind::Address, fault));
    }
    let file = base.join(name);
    // An absolute path is never read as the address of another kind.
    std::path::absolute(&file).map_err(|_| {
        Error::new(ErrorKind::Address, "the name of the database's file cannot be read")
    })
}

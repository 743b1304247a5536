//! The errors of functions, in the words of the engine.

use rusqlite::{Error, ffi};

/// The operands are none that the function takes.
pub(super) fn refused_operands_error() -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_AUTH), None)
}

/// The result is longer than a value may be.
pub(super) fn too_large() -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None)
}

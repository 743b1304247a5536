//! The reasons why a file or a server of state fails, as errors of stores. None names a record.

use std::{io, path::Path, time::Duration};

use callgate_session::{Error, ErrorKind};
use rusqlite::ErrorCode;

callgate_secret::errors! {
    fn conflict_error() = Conflict: "the record is not in the expected version";
    fn no_room_error(bound: u64) = Full:
        "the records of this principal leave no room for another one in the file of state, which may have {bound} bytes";
    fn too_large(bound: u64) = TooLarge: "the record is larger than {bound} bytes";
    fn no_random() = Sealing: "no random number is available";
    fn unreadable_record_error() = Unreadable: "a stored record is not in the expected form";
    #[cfg(feature = "redis")]
    fn often_replaced() = Unavailable: "others replace the record all the time";
    #[cfg(feature = "redis")]
    fn another_key_of_server() = Sealing:
        "the records in the state server were sealed with another key; name that one under `old_keys`";
    fn closed_file() = Unavailable: "the file of state is closed";
    fn another_kind(path: &Path) = Unavailable: "{path}: {ANOTHER_KIND}", path = path.display();
    fn another_program(path: &Path) = Unreadable:
        "{path}: expected a file of state, got the database of another program", path = path.display();
    fn another_release(path: &Path, version: i64) = Unreadable:
        "{path}: the file of state has form {version}, which this release does not know", path = path.display();
    fn another_key(path: &Path) = Sealing:
        "{path}: the file of state was sealed with another key; name that one under `old_keys`", path = path.display();
    fn missing_key(path: &Path) = Sealing:
        "{path}: expected the key of the file of state, got no such file; restore it, or move the file of state away",
        path = path.display();
    fn shared_key(path: &Path) = Sealing:
        "{path}: others may read this key; run `chmod 600 {path}`", path = path.display();
    fn not_a_key(path: &Path) = Sealing:
        "{path}: expected a key of 32 bytes in base64", path = path.display();
}

pub(crate) fn too_many_requests() -> Error {
    let message = "too many requests of this principal wait for the store of `state`";
    Error::new(ErrorKind::Unavailable, message).with_retry_after(Duration::from_secs(1))
}

pub(crate) fn request_error(source: rusqlite::Error) -> Error {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            Error::new(ErrorKind::Full, "the disk of the file of state is full").with_source(source)
        }
        _ => Error::new(ErrorKind::Unavailable, "the file of state cannot be used")
            .with_source(source),
    }
}

pub(crate) fn opening_error(path: &Path, source: rusqlite::Error) -> Error {
    let path = path.display();
    let message = match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => format!(
            "{path}: another process uses this file of state; give each sidecar a file of its own"
        ),
        Some(ErrorCode::NotADatabase) => format!("{path}: {ANOTHER_KIND}"),
        Some(ErrorCode::DatabaseCorrupt) => {
            format!(
                "{path}: the file of state is damaged; restore it from a backup, or move it away"
            )
        }
        _ => format!("{path}: the file of state cannot be opened"),
    };
    Error::new(ErrorKind::Unavailable, message).with_source(source)
}

pub(crate) fn file_error(path: &Path, source: io::Error) -> Error {
    let message = format!("{}: {source}", path.display());
    Error::new(ErrorKind::Unavailable, message).with_source(source)
}

#[cfg(feature = "redis")]
pub(crate) const UNKNOWN_POLICY: &str = "the state server does not say whether it removes records when its memory is no_room_error (`CONFIG GET \
     maxmemory-policy` is forbidden): set `maxmemory-policy noeviction`";
#[cfg(feature = "redis")]
pub(crate) const OTHER_REPLICAS: &str = "`durability.wait` is not the number of the state server's replicas: with fewer, one may be promoted that lacks \
     a change; with more, every change is refused";

const ANOTHER_KIND: &str = "expected a file of state, got another kind of file";

//! The opening of a file of state: its lock, its form, and the keys that seal it.

use std::{fs::OpenOptions, path::Path, time::Duration};

use callgate_session::{Error, Sealer};
use rusqlite::{Connection, OptionalExtension as _};

use super::{FileSettings, table::Table};
use crate::{address::Addresses, error, key_file};

pub(super) fn open_file(settings: &FileSettings) -> Result<(Table, Addresses, Sealer), Error> {
    let path = &*settings.path;
    create_file_if_absent(path)?;
    let connection =
        connect_exclusively(path).map_err(|failure| error::opening_error(path, failure))?;
    check_or_create_tables(path, &connection)?;
    let wrapped = connection
        .query_row("SELECT value FROM meta WHERE name = 'addresses'", [], |row| row.get(0))
        .optional();
    let wrapped: Option<Vec<u8>> =
        wrapped.map_err(|failure| error::opening_error(path, failure))?;
    let sealer = sealer_from_keys(settings, wrapped.is_none())?;
    let secret = address_secret(path, wrapped, &sealer)?;
    // Sealed anew at each opening, so that an old key can be removed once nothing else is sealed with it.
    let sealed = sealer.seal(&secret, PLACE)?;
    connection
        .execute("INSERT OR REPLACE INTO meta VALUES ('addresses', ?1)", [sealed])
        .map_err(|failure| error::opening_error(path, failure))?;
    let table = Table::new(connection, settings.bytes);
    let table = table.map_err(|failure| error::opening_error(path, failure))?;
    Ok((table, Addresses::new(&secret), sealer))
}

/// Makes an absent file, for its owner alone.
fn create_file_if_absent(path: &Path) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|failure| error::file_error(path, failure))
}

/// Opens the database with a lock that no other process gets until this one ends.
fn connect_exclusively(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.execute_batch(
        "PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         BEGIN EXCLUSIVE; COMMIT;",
    )?;
    Ok(connection)
}

/// Checks that the file is one of state, and makes its tables if it is empty.
fn check_or_create_tables(path: &Path, connection: &Connection) -> Result<(), Error> {
    let number = |name: &str| {
        let pragma_value = connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        pragma_value.map_err(|failure| error::opening_error(path, failure))
    };
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|failure| error::opening_error(path, failure))?;
    if tables == 0 {
        return connection
            .execute_batch(TABLES)
            .map_err(|failure| error::opening_error(path, failure));
    }
    if number("application_id")? != APPLICATION {
        return Err(error::another_program(path));
    }
    match number("user_version")? {
        FORM => Ok(()),
        other => Err(error::another_release(path, other)),
    }
}

/// The keys of the settings, or the one of the key file. A new key is drawn only for a new file.
fn sealer_from_keys(settings: &FileSettings, is_new: bool) -> Result<Sealer, Error> {
    let sealer = match &settings.key {
        Some(key) => Sealer::with_key(key)?,
        None => Sealer::with_key(&key_file::read_or_draw_key(
            &key_file::key_file_path(&settings.path),
            is_new,
        )?)?,
    };
    settings.old_keys.iter().try_fold(sealer, Sealer::with_older_key)
}

/// The secret of the addresses, which stays the same for the life of the file.
fn address_secret(
    path: &Path,
    wrapped: Option<Vec<u8>>,
    sealer: &Sealer,
) -> Result<[u8; 32], Error> {
    let mut secret = [0; 32];
    let Some(wrapped) = wrapped else {
        getrandom::fill(&mut secret).map_err(|_| error::no_random())?;
        return Ok(secret);
    };
    let opened = sealer.open(&wrapped, PLACE).map_err(|_| error::another_key(path))?;
    opened.try_into().map_err(|_| error::another_key(path))
}

/// The place that the secret of the addresses is sealed for.
const PLACE: &[u8] = b"addresses";
/// `cgst` as a number: `PRAGMA application_id`.
pub(super) const APPLICATION: i64 = 0x6367_7374;
/// The form of the tables: `PRAGMA user_version`.
pub(super) const FORM: i64 = 1;
const TABLES: &str = "
    BEGIN;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE records (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL, owner BLOB NOT NULL, name BLOB NOT NULL,
        version INTEGER NOT NULL, ends INTEGER NOT NULL, sealed BLOB NOT NULL,
        UNIQUE (owner, space, name)
    );
    CREATE INDEX records_by_end ON records (ends);
    PRAGMA application_id = 0x63677374;
    PRAGMA user_version = 1;
    COMMIT;";

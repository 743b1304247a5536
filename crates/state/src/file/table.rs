//! The table of records: one method a request, each within the transaction that the worker has begun.

use std::time::Duration;

use callgate_session::{Error, Expected, Version};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    request::{Answer, Request},
    shares::Shares,
};
use crate::{
    address::{Address, Region},
    engine::{Page, Put, Row, Rows},
    error,
};

#[derive(Debug)]
pub(super) struct Table {
    connection: Connection,
    shares: Shares,
}

/// A stored row, ended or not.
struct RowState {
    version: Version,
    has_ended: bool,
    bytes: u64,
}

impl Table {
    pub(super) fn new(connection: Connection, bound: u64) -> rusqlite::Result<Self> {
        let mut table = Self { connection, shares: Shares::new(bound) };
        table.recount_bytes_by_owner()?;
        Ok(table)
    }

    fn recount_bytes_by_owner(&mut self) -> rusqlite::Result<()> {
        let mut shares = Shares::new(self.shares.total_byte_limit());
        let mut statement = self
            .connection
            .prepare("SELECT owner, sum(length(sealed) + 128) FROM records GROUP BY owner")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            shares.add_bytes(row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs());
        }
        drop(rows);
        drop(statement);
        self.shares = shares;
        Ok(())
    }

    /// Begins a transaction. A durable one is on the disk when it has ended; the others are in the file.
    pub(super) fn begin_transaction(&self, is_durable: bool) -> rusqlite::Result<()> {
        let synchronous = if is_durable { "FULL" } else { "NORMAL" };
        self.connection.pragma_update(None, "synchronous", synchronous)?;
        self.connection.execute_batch("BEGIN IMMEDIATE")
    }

    pub(super) fn commit(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")
    }

    /// Ends a transaction of which nothing must remain.
    pub(super) fn roll_back(&mut self) {
        // A full disk may have ended it already.
        if !self.connection.is_autocommit() {
            drop(self.connection.execute_batch("ROLLBACK"));
        }
        if let Err(failure) = self.recount_bytes_by_owner() {
            tracing::warn!(%failure, "the records of the file of state cannot be counted");
        }
    }

    /// Removes records that have ended, some at a time.
    pub(super) fn remove_ended(&mut self, now: i64) -> rusqlite::Result<()> {
        let ended: Vec<(i64, [u8; 16], u64)> = {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, owner, length(sealed) + 128 FROM records WHERE ends <= ?1 LIMIT 256",
            )?;
            let rows = statement.query_map([now], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs()))
            })?;
            rows.collect::<Result<_, _>>()?
        };
        for (id, owner, bytes) in ended {
            self.connection.prepare_cached("DELETE FROM records WHERE id = ?1")?.execute([id])?;
            self.shares.remove(owner, bytes);
        }
        Ok(())
    }

    /// Lets the file have this number of pages, as a full disk does.
    #[cfg(test)]
    pub(super) fn limit_pages(&self, pages: i64) {
        self.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    }

    pub(super) fn answer_request(&mut self, request: &Request) -> Result<Answer, Error> {
        match request {
            Request::Count { space, now } => {
                self.count(space, *now).map(Answer::Counted).map_err(error::request_error)
            }
            Request::Get { address, now } => {
                self.get(address, *now).map(Answer::Found).map_err(error::request_error)
            }
            Request::List { page, now } => {
                self.list(page, *now).map(Answer::Listed).map_err(error::request_error)
            }
            Request::Put { put, ends, now } => {
                self.put(put, *ends, *now).map(|()| Answer::Changed(true))
            }
            Request::Remove { address, expected, now } => {
                self.remove(address, *expected, *now).map(Answer::Changed)
            }
        }
    }

    fn get(&self, address: &Address, now: i64) -> rusqlite::Result<Option<Row>> {
        let Address { space, owner, name } = address;
        let mut statement = self.connection.prepare_cached(
            "SELECT version, sealed, ends FROM records
             WHERE owner = ?1 AND space = ?2 AND name = ?3 AND ends > ?4",
        )?;
        let row = |row: &rusqlite::Row<'_>| {
            let version = Version::new(row.get::<_, i64>(0)?.unsigned_abs());
            let time_to_live = time_left(row.get(2)?, now);
            Ok(Row { version, sealed: row.get(1)?, time_to_live })
        };
        statement.query_row(params![owner, space, name, now], row).optional()
    }

    fn list(&self, page: &Page, now: i64) -> rusqlite::Result<Rows> {
        let Page { region: Region { space, owner }, after, most } = page;
        // No digest comes before the empty one.
        let (after_owner, after_name) =
            after.as_ref().map_or((&[][..], &[][..]), |after| (&after.owner, &after.name));
        let mut statement = self.connection.prepare_cached(
            "SELECT owner, name, version, sealed, ends FROM records
             WHERE space = ?1 AND (?2 IS NULL OR owner = ?2) AND ends > ?3
             AND (owner > ?4 OR (owner = ?4 AND name > ?5))
             ORDER BY owner, name LIMIT ?6",
        )?;
        let most = i64::try_from(*most).unwrap_or(i64::MAX);
        let row = |row: &rusqlite::Row<'_>| {
            let address = Address { space: space.clone(), owner: row.get(0)?, name: row.get(1)? };
            let version = Version::new(row.get::<_, i64>(2)?.unsigned_abs());
            let time_to_live = time_left(row.get(4)?, now);
            Ok((address, Row { version, sealed: row.get(3)?, time_to_live }))
        };
        let given = params![space, owner, now, after_owner, after_name, most];
        let (mut rows, mut n_bytes) = (Vec::new(), 0);
        for entry in statement.query_map(given, row)? {
            let entry = entry?;
            n_bytes += entry.1.sealed.len();
            rows.push(entry);
            if n_bytes >= Rows::BYTES {
                return Ok(Rows { rows, is_last: false });
            }
        }
        let is_last = rows.len() < page.most;
        Ok(Rows { rows, is_last })
    }

    /// The rows of a space without those that have ended: neither number reads a record.
    fn count(&self, space: &str, now: i64) -> rusqlite::Result<usize> {
        let mut statement = self.connection.prepare_cached(
            "SELECT (SELECT count(*) FROM records WHERE space = ?1)
             - (SELECT count(*) FROM records INDEXED BY records_by_end WHERE ends <= ?2 AND space = ?1)",
        )?;
        let number: i64 = statement.query_row(params![space, now], |row| row.get(0))?;
        Ok(usize::try_from(number).unwrap_or_default())
    }

    fn put(&mut self, put: &Put, ends: i64, now: i64) -> Result<(), Error> {
        let Put { address, row, expected, .. } = put;
        let size = row.sealed.len() as u64 + OVERHEAD;
        if size > self.shares.most_record_bytes() {
            return Err(error::too_large(self.shares.most_record_bytes()));
        }
        let old_record = self.record_if_expected(address, *expected, now)?;
        let before = old_record.map_or(0, |record| record.bytes);
        self.shares.remove(address.owner, before);
        if let Err(error) = self.drop_oldest_results(address, size) {
            self.shares.add_bytes(address.owner, before);
            return Err(error);
        }
        let version = i64::try_from(row.version.number()).unwrap_or(i64::MAX);
        let Address { space, owner, name } = address;
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO records (space, owner, name, version, ends, sealed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .and_then(|mut it| it.execute(params![space, owner, name, version, ends, row.sealed]))
            .map_err(error::request_error)?;
        self.shares.add_bytes(*owner, size);
        Ok(())
    }

    fn remove(&mut self, address: &Address, expected: Expected, now: i64) -> Result<bool, Error> {
        let Some(record) = self.record_if_expected(address, expected, now)? else {
            return Ok(false);
        };
        let Address { space, owner, name } = address;
        self.connection
            .prepare_cached("DELETE FROM records WHERE owner = ?1 AND space = ?2 AND name = ?3")
            .and_then(|mut it| it.execute(params![owner, space, name]))
            .map_err(error::request_error)?;
        self.shares.remove(*owner, record.bytes);
        Ok(!record.has_ended)
    }

    fn record_if_expected(
        &self,
        address: &Address,
        expected: Expected,
        now: i64,
    ) -> Result<Option<RowState>, Error> {
        let Address { space, owner, name } = address;
        let read_record = |row: &rusqlite::Row<'_>| {
            Ok(RowState {
                version: Version::new(row.get::<_, i64>(0)?.unsigned_abs()),
                has_ended: row.get::<_, i64>(1)? <= now,
                bytes: row.get::<_, i64>(2)?.unsigned_abs(),
            })
        };
        let record = self
            .connection
            .prepare_cached(
                "SELECT version, ends, length(sealed) + 128 FROM records
                 WHERE owner = ?1 AND space = ?2 AND name = ?3",
            )
            .and_then(|mut it| it.query_row(params![owner, space, name], read_record).optional())
            .map_err(error::request_error)?;
        let version =
            record.as_ref().filter(|record| !record.has_ended).map(|record| record.version);
        if expected.is_met_by(version) { Ok(record) } else { Err(error::conflict_error()) }
    }

    /// Removes the owner's oldest results, where it otherwise has no room.
    fn drop_oldest_results(&mut self, address: &Address, size: u64) -> Result<(), Error> {
        while !self.shares.has_room(address.owner, size) {
            let oldest = self
                .connection
                .prepare_cached(
                    "SELECT id, length(sealed) + 128 FROM records
                     WHERE owner = ?1 AND space = 'result' AND name <> ?2 ORDER BY id LIMIT 1",
                )
                .and_then(|mut it| {
                    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                    it.query_row(params![address.owner, address.name], row).optional()
                })
                .map_err(error::request_error)?;
            let Some((id, bytes)): Option<(i64, i64)> = oldest else {
                return Err(error::no_room_error(self.shares.total_byte_limit()));
            };
            self.connection
                .prepare_cached("DELETE FROM records WHERE id = ?1")
                .and_then(|mut it| it.execute([id]))
                .map_err(error::request_error)?;
            self.shares.remove(address.owner, bytes.unsigned_abs());
        }
        Ok(())
    }
}

/// The time until a row ends; `None` for one without an end.
fn time_left(ends: i64, now: i64) -> Option<Duration> {
    (ends != i64::MAX).then(|| Duration::from_millis(ends.saturating_sub(now).unsigned_abs()))
}

/// The bytes that a row takes beside its sealed record, with its places in the indexes.
const OVERHEAD: u64 = 128;

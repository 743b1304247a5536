//! One connection: how the file is opened, what the engine refuses on it from then on, and the beginning and end of a call.

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::{Connection, OpenFlags, Row, config::DbConfig, limits::Limit, types::ValueRef};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{
    authorizer::{Guard, Mode},
    call::Call,
    failure, functions, query_text,
    rights::Rights,
};
use crate::{
    login::Needs,
    settings::DatabaseLimits,
    transaction::{Access, Failure},
};

/// A connection, with what it allows now.
pub(super) struct Session {
    connection: Connection,
    access: Access,
    guard: Arc<Guard>,
    /// The bytes that a value needs to be shown whole.
    shown: i32,
    /// The rights under which its cached statements were prepared.
    rights: Option<Arc<Rights>>,
    /// The version of the schema that was last found to be the one of the load.
    verified: Option<i64>,
    call: Option<Arc<Call>>,
}

impl Session {
    pub(super) fn open(
        file: &Path,
        access: Access,
        limits: &DatabaseLimits,
        deadline: Instant,
    ) -> Result<Self, Failure> {
        check_file_exists(file)?;
        let mode = match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)
            .map_err(|error| failure::of_opening(&error))?;
        connection
            .busy_timeout(lock_wait_time(limits.lock_time, deadline))
            .and_then(|()| configure(&connection, access))
            .and_then(|()| set_limits(&connection, access, limits))
            .map_err(|error| failure::of_opening(&error))?;
        let guard = Arc::new(Guard::default());
        let mut session = Self {
            connection,
            access,
            guard,
            shown: bytes_to_show_value(limits),
            rights: None,
            verified: None,
            call: None,
        };
        let guard = Arc::clone(&session.guard);
        session
            .connection
            .authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
                guard.decide(context)
            }))
            .map_err(|error| failure::of_opening(&error))?;
        Ok(session)
    }

    pub(super) fn access(&self) -> Access {
        self.access
    }

    /// True if another file lies where this one was opened, or none.
    pub(super) fn is_file_replaced(&self) -> bool {
        #[cfg(unix)]
        {
            let mut has_moved = 0;
            let control = rusqlite::FileControl::HasMoved(&mut has_moved);
            self.connection.file_control::<&str>(None, control).is_err() || has_moved != 0
        }
        // An open file cannot be replaced there.
        #[cfg(not(unix))]
        false
    }

    pub(super) fn begin_call(&mut self, call: &Arc<Call>) -> Result<(), Failure> {
        call.set_interrupt(self.connection.get_interrupt_handle());
        self.call = Some(Arc::clone(call));
        let call = Arc::clone(call);
        self.connection
            .progress_handler(
                INSTRUCTIONS,
                Some(move || call.count_steps_and_must_end(u64::from(INSTRUCTIONS.unsigned_abs()))),
            )
            .map_err(|error| failure::from_error(&error))
    }

    /// Makes the connection idle. False if it must not be used again.
    pub(super) fn end_call(&mut self) -> bool {
        self.call = None;
        self.guard.set(Mode::Own);
        let none = None::<fn() -> bool>;
        self.connection.is_autocommit() && self.connection.progress_handler(0, none).is_ok()
    }

    /// The call that has the connection.
    pub(super) fn call(&self) -> Result<&Call, Failure> {
        self.call.as_deref().ok_or(Failure::Internal)
    }

    /// Waits so long for locks from now on.
    pub(super) fn set_lock_wait(&self, time: Duration) -> Result<(), Failure> {
        let time = lock_wait_time(time, self.call()?.deadline());
        self.connection.busy_timeout(time).map_err(|error| failure::from_error(&error))
    }

    /// Runs statements of this driver.
    pub(super) fn run_as_driver<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Failure> {
        self.guard.set(Mode::Own);
        work(&self.connection).map_err(|error| failure::from_error(&error))
    }

    /// Reads the catalog. Its statements leave the cache, from where those of others would take them.
    pub(super) fn read_catalog_uncached<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Failure> {
        let result = self.run_as_driver(work);
        self.connection.flush_prepared_statement_cache();
        result
    }

    /// Runs one statement of this driver that returns nothing.
    pub(super) fn run_control(&self, text: Control) -> Result<(), Failure> {
        self.run_as_driver(|connection| connection.execute(text.text(), []).map(drop))
    }

    /// Prepares and runs statements of others, within these rights.
    pub(super) fn run_within_rights<T>(
        &mut self,
        rights: &Arc<Rights>,
        text: &str,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.rights.as_ref().is_none_or(|held| !Arc::ptr_eq(held, rights)) {
            self.connection.flush_prepared_statement_cache();
            if rights.is_for_query() {
                self.limit_model_operands().map_err(|error| failure::from_error(&error))?;
            }
            self.rights = Some(Arc::clone(rights));
        }
        self.guard.set(Mode::for_rights(rights, self.access, text));
        let result = work(&self.connection);
        let has_denied = self.guard.has_denied();
        self.guard.set(Mode::Own);
        result.map_err(|failure| if has_denied { Failure::Denied } else { failure })
    }

    /// Bounds the time and the memory of a single function, which nothing interrupts, for statements of a model.
    fn limit_model_operands(&self) -> rusqlite::Result<()> {
        let length = MODEL_BYTES.max(self.shown);
        self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, length)?;
        self.connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MODEL_PATTERN)?;
        self.connection.set_limit(Limit::SQLITE_LIMIT_FUNCTION_ARG, MODEL_OPERANDS)?;
        // The engine reads no schema with a wider table.
        let widest = self.connection.query_row(WIDEST, [], |row| row.get::<_, i32>(0))?;
        self.connection.set_limit(Limit::SQLITE_LIMIT_COLUMN, MODEL_COLUMNS.max(widest))?;
        functions::replace_functions(&self.connection)
    }

    /// Prepares statements of the operator, and returns what they touch.
    pub(super) fn run_recording_rights<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<(T, Rights), Failure> {
        self.guard.set(Mode::recording(self.access));
        let result = work(&self.connection);
        let has_denied = self.guard.has_denied();
        let touched = self.guard.take_used_rights();
        self.guard.set(Mode::Own);
        match result {
            Ok(result) => Ok((result, touched)),
            Err(_) if has_denied => Err(Failure::Denied),
            Err(error) => Err(failure::from_error(&error)),
        }
    }

    /// The rights for what tools need.
    pub(super) fn rights_for(&self, needs: &Needs) -> Result<Rights, Failure> {
        let mut rights = self.run_as_driver(|connection| Rights::from_needs(needs, connection))?;
        if !needs.is_for_query {
            return Ok(rights);
        }
        let views = self.run_as_driver(|connection| {
            super::catalog::select_readable_views(connection, &rights)
        })?;
        for view in views {
            // The view's own reads carry its name; those of a statement that names it carry none.
            let ((), touched) =
                self.run_recording_rights(|connection| connection.prepare(&view).map(drop))?;
            rights.add_view_reads(touched);
        }
        let texts = self.run_as_driver(super::catalog::view_texts)?;
        query_text::add_unreported_reads(&mut rights, &texts);
        Ok(rights)
    }

    /// The version that the file counts up with every change of its schema.
    pub(super) fn schema_version(&self) -> Result<i64, Failure> {
        self.run_as_driver(|connection| {
            connection.query_row(Control::Version.text(), [], |row| row.get(0))
        })
    }

    pub(super) fn verified_schema_version(&self) -> Option<i64> {
        self.verified
    }

    pub(super) fn set_verified_schema_version(&mut self, version: i64) {
        self.verified = Some(version);
    }

    /// The digest of the whole schema.
    pub(super) fn schema_digest(&self) -> Result<[u8; 32], Failure> {
        self.run_as_driver(|connection| {
            let mut statement = connection
                .prepare("SELECT type, name, sql FROM main.sqlite_schema ORDER BY rowid")?;
            let mut rows = statement.query([])?;
            let mut hasher = Sha256::new();
            while let Some(row) = rows.next()? {
                hash_row(&mut hasher, row)?;
            }
            Ok(hasher.finalize().into())
        })
    }
}

fn hash_row(hasher: &mut Sha256, row: &Row<'_>) -> rusqlite::Result<()> {
    for at in 0..3 {
        let (mark, text) = match row.get_ref(at)? {
            ValueRef::Text(text) => (1, text),
            _ => (0, &b""[..]),
        };
        hasher.update([mark]);
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    Ok(())
}

/// A statement of this driver that calls run.
#[derive(Clone, Copy)]
pub(super) enum Control {
    Begin,
    BeginWrite,
    Commit,
    Rollback,
    Version,
}

impl Control {
    pub(super) const ALL: [Self; 5] =
        [Self::Begin, Self::BeginWrite, Self::Commit, Self::Rollback, Self::Version];

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Begin => "BEGIN",
            Self::BeginWrite => "BEGIN IMMEDIATE",
            Self::Commit => "COMMIT",
            Self::Rollback => "ROLLBACK",
            Self::Version => "PRAGMA schema_version",
        }
    }
}

/// Refuses a file that is not there: it is never made. Looks at the name only, since closing a file that another handle of this
/// process opened would drop its locks.
fn check_file_exists(file: &Path) -> Result<(), Failure> {
    match std::fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(failure::unavailable("the name of the database is no file")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(failure::unavailable("the file of the database does not exist"))
        }
        Err(_) => Err(failure::unavailable("the file of the database cannot be read")),
    }
}

fn configure(connection: &Connection, access: Access) -> rusqlite::Result<()> {
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
        // A column that is no longer there must not become a text of the same name.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    connection.pragma_update(None, "cache_size", CACHE_KIBIBYTES)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "query_only", access == Access::Read)
}

fn set_limits(
    connection: &Connection,
    access: Access,
    limits: &DatabaseLimits,
) -> rusqlite::Result<()> {
    let shown = bytes_to_show_value(limits);
    let length = match access {
        Access::Read => READ_BYTES.max(shown),
        Access::Write => WRITE_BYTES.max(shown),
    };
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, length),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 256 << 10),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (Limit::SQLITE_LIMIT_VDBE_OP, 200_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4 << 10),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 4 << 10),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 100),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// The bytes that a value needs to be shown whole.
fn bytes_to_show_value(limits: &DatabaseLimits) -> i32 {
    i32::try_from(limits.row_bytes.saturating_mul(4)).unwrap_or(i32::MAX)
}

/// The time that a statement waits for a lock: its own, or a moment longer than the call, which then has timed out.
fn lock_wait_time(time: Duration, deadline: Instant) -> Duration {
    time.min(deadline.saturating_duration_since(Instant::now()) + MOMENT)
}

/// The engine counts a wait in milliseconds, and may end it that much before the call's deadline.
const MOMENT: Duration = Duration::from_millis(20);

/// The instructions of the engine between two looks at the clock: some tens of microseconds.
const INSTRUCTIONS: i32 = 1_000;

/// The most bytes of one value or row that a statement holds: reads take values within the limit of a row, and a larger one
/// would be held whole to be cut.
const READ_BYTES: i32 = 4 << 20;

/// The same in statements of a model, whose functions take these bytes at once: half a second at most.
const MODEL_BYTES: i32 = 1 << 20;

/// The bytes of a pattern of `LIKE` and `GLOB` in statements of a model: the time is the product with the bytes of the text.
const MODEL_PATTERN: i32 = 128;

/// The operands of one function in statements of a model: some functions hold all of them at once.
const MODEL_OPERANDS: i32 = 32;

/// The columns of a result in statements of a model, unless a table has more: the engine holds a row's values at once.
const MODEL_COLUMNS: i32 = 64;

/// The most columns of a table or view.
const WIDEST: &str = "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM main.sqlite_schema AS s \
    JOIN pragma_table_xinfo(s.name) WHERE s.type IN ('table', 'view') GROUP BY s.name)";

/// As above where rows are rewritten, with the columns that no tool sees.
const WRITE_BYTES: i32 = 64 << 20;

/// The pages that an idle connection keeps.
const CACHE_KIBIBYTES: i32 = -1_024;

/// The prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

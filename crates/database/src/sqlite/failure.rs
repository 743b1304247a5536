//! The engine's failures as ours, by their codes. Texts of the engine hold values and statements: of them only the names of
//! columns and constraints are read, and nothing decides by them.

use rusqlite::{Error as Failed, ffi, ffi::ErrorCode};

use crate::{
    error::{Error, ErrorKind},
    transaction::{Constraint, Failure},
};

/// A failure of a statement.
pub(super) fn of(error: &Failed) -> Failure {
    let (code, message) = match error {
        Failed::SqliteFailure(code, message) => (*code, message.as_deref()),
        Failed::SqlInputError { error, msg, .. } => (*error, Some(msg.as_str())),
        Failed::InvalidColumnIndex(_) | Failed::InvalidParameterCount(..) => return Failure::Stale,
        _ => return Failure::Other { code: None },
    };
    match code.code {
        ErrorCode::ConstraintViolation => {
            constraint(code.extended_code, message.unwrap_or_default())
        }
        code if is_locked(code) => Failure::Conflict,
        ErrorCode::OperationInterrupted => Failure::TimedOut { is_rolled_back: true },
        ErrorCode::PermissionDenied
        | ErrorCode::ReadOnly
        | ErrorCode::AuthorizationForStatementDenied => Failure::Denied,
        ErrorCode::TooBig | ErrorCode::OutOfMemory => Failure::TooLarge,
        ErrorCode::TypeMismatch => Failure::InvalidValue,
        ErrorCode::SchemaChanged => Failure::Stale,
        ErrorCode::CannotOpen => unavailable(CANNOT_OPEN),
        ErrorCode::NotADatabase => unavailable("the file is no database of SQLite"),
        ErrorCode::DatabaseCorrupt => unavailable("the file of the database is damaged"),
        _ => Failure::Other { code: Some(name(code.extended_code)) },
    }
}

/// True if the failure is that of a lock.
fn is_locked(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
}

pub(super) fn unavailable(reason: &str) -> Failure {
    Failure::Unavailable { reason: reason.to_owned() }
}

/// A failure while a connection is opened.
pub(super) fn of_opening(error: &Failed) -> Failure {
    match of(error) {
        failure @ (Failure::Conflict | Failure::TimedOut { .. } | Failure::Unavailable { .. }) => {
            failure
        }
        Failure::Denied => unavailable(CANNOT_OPEN),
        _ => unavailable("the file of the database cannot be read"),
    }
}

/// A failure while the catalog is read.
pub(super) fn of_load(failure: Failure) -> Error {
    match failure {
        Failure::Busy => Error::new(ErrorKind::Busy, "every connection is in use"),
        Failure::Unavailable { reason } => Error::new(ErrorKind::Unavailable, reason),
        Failure::Conflict => {
            Error::new(ErrorKind::Unavailable, "another process has locked the database")
        }
        Failure::TimedOut { .. } => {
            Error::new(ErrorKind::Unavailable, "the database did not answer in time")
        }
        Failure::Denied => Error::new(ErrorKind::Denied, "the database may not be read"),
        _ => Error::new(ErrorKind::Unavailable, "the description of the database cannot be read"),
    }
}

/// A failure while a statement is prepared.
pub(super) fn of_statement(failure: Failure) -> Error {
    match failure {
        Failure::Busy
        | Failure::Conflict
        | Failure::TimedOut { .. }
        | Failure::Unavailable { .. } => of_load(failure),
        Failure::Denied => Error::new(ErrorKind::Statement, NOT_ALLOWED),
        _ => Error::new(
            ErrorKind::Statement,
            "the statement cannot be prepared: the database refuses it",
        ),
    }
}

fn constraint(code: i32, message: &str) -> Failure {
    let kind = match code {
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Constraint::ForeignKey,
        ffi::SQLITE_CONSTRAINT_NOTNULL => Constraint::NotNull,
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY
        | ffi::SQLITE_CONSTRAINT_ROWID
        | ffi::SQLITE_CONSTRAINT_UNIQUE => Constraint::Unique,
        // A value of another type in a strict table.
        ffi::SQLITE_CONSTRAINT_DATATYPE => return Failure::InvalidValue,
        // A check, or the words of a trigger, which are nobody's to show.
        ffi::SQLITE_CONSTRAINT_TRIGGER => {
            return Failure::Constraint { kind: Constraint::Check, name: None, column: None };
        }
        _ => Constraint::Check,
    };
    let subject = message.split_once(": ").map_or("", |(_, subject)| subject);
    let (name, column) = match kind {
        Constraint::Check => (identifier(subject), None),
        Constraint::ForeignKey => (None, None),
        Constraint::NotNull | Constraint::Unique => (index(subject), column(subject)),
    };
    Failure::Constraint { kind, name, column }
}

/// The column of `table.column`, if there is one alone.
fn column(subject: &str) -> Option<String> {
    let (_, column) = subject.split_once('.')?;
    (!subject.contains(", ")).then(|| column.to_owned())
}

/// The index of `index 'name'`.
fn index(subject: &str) -> Option<String> {
    let name = subject.strip_prefix("index '")?.strip_suffix('\'')?;
    identifier(name)
}

/// The name of a constraint; an unnamed one has its expression there.
fn identifier(subject: &str) -> Option<String> {
    let is_name = subject.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name && !subject.is_empty()).then(|| subject.to_owned())
}

/// The engine's own name of the commonest codes, the number of the others.
fn name(code: i32) -> String {
    let name = match code & 0xff {
        ffi::SQLITE_ERROR => "SQLITE_ERROR",
        ffi::SQLITE_FULL => "SQLITE_FULL",
        ffi::SQLITE_IOERR => "SQLITE_IOERR",
        ffi::SQLITE_MISUSE => "SQLITE_MISUSE",
        ffi::SQLITE_RANGE => "SQLITE_RANGE",
        _ => return code.to_string(),
    };
    name.to_owned()
}

const CANNOT_OPEN: &str = "the file of the database cannot be opened: a file in WAL mode, or after a crash, needs a process that \
    may write its folder";

const NOT_ALLOWED: &str = "the statement cannot be prepared: it touches what its tool may not, or is no statement on rows";

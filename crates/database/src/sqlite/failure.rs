//! The engine's failures as ours, by their codes. Texts of the engine hold values and statements: of them only the names of
//! columns and constraints are read, and nothing decides by them.

use rusqlite::{Error as Failed, ffi, ffi::ErrorCode};

use crate::{
    error::{self, Error, ErrorKind},
    transaction::{Constraint, Failure},
};

/// A failure of a statement.
pub(super) fn from_error(error: &Failed) -> Failure {
    let (code, message) = match error {
        Failed::SqliteFailure(code, message) => (*code, message.as_deref()),
        // A text that the engine does not parse.
        Failed::SqlInputError { error, sql, offset, .. } => {
            let before = usize::try_from(*offset).ok().and_then(|bytes| sql.get(..bytes));
            let position = before.map(|before| before.chars().count().saturating_add(1));
            return Failure::Malformed { code: Some(code_name(error.extended_code)), position };
        }
        Failed::InvalidColumnIndex(_) | Failed::InvalidParameterCount(..) => return Failure::Stale,
        _ => return Failure::Internal,
    };
    let with_code = || Some(code_name(code.extended_code));
    match code.code {
        ErrorCode::ConstraintViolation => {
            constraint_failure(code.extended_code, message.unwrap_or_default())
        }
        code if is_locked(code) => Failure::Conflict,
        ErrorCode::OperationInterrupted => Failure::TimedOut { is_rolled_back: true },
        ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => Failure::Denied,
        ErrorCode::ReadOnly => Failure::ReadOnly,
        ErrorCode::DiskFull => Failure::Full,
        ErrorCode::FileLockingProtocolFailed => Failure::Conflict,
        ErrorCode::SystemIoFailure => Failure::Unable { code: with_code() },
        ErrorCode::ApiMisuse | ErrorCode::ParameterOutOfRange => Failure::Internal,
        ErrorCode::TooBig | ErrorCode::OutOfMemory => Failure::TooLarge,
        ErrorCode::TypeMismatch => Failure::InvalidValue,
        ErrorCode::SchemaChanged => Failure::Stale,
        ErrorCode::CannotOpen => unavailable(CANNOT_OPEN),
        ErrorCode::NotADatabase => unavailable("the file is no database of SQLite"),
        ErrorCode::DatabaseCorrupt => unavailable("the file of the database is damaged"),
        _ => Failure::Other { code: with_code() },
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
    match from_error(error) {
        failure @ (Failure::Conflict
        | Failure::Full
        | Failure::TimedOut { .. }
        | Failure::Unable { .. }
        | Failure::Unavailable { .. }) => failure,
        Failure::Denied | Failure::ReadOnly => unavailable(CANNOT_OPEN),
        _ => unavailable("the file of the database cannot be read"),
    }
}

/// A failure while the catalog is read.
pub(super) fn catalog_reading_error(failure: &Failure) -> Error {
    if matches!(failure, Failure::Denied | Failure::ReadOnly) {
        return Error::new(ErrorKind::Denied, "the database may not be read");
    }
    let own = || {
        let code = match failure {
            Failure::Malformed { code, .. } | Failure::Other { code } => code.as_deref(),
            _ => None,
        };
        error::catalog_statement_error(code.unwrap_or("its values are not those that it asks for"))
    };
    error::transient_error(failure).unwrap_or_else(own)
}

/// A failure while a statement is prepared.
pub(super) fn of_statement(failure: &Failure) -> Error {
    let reason = match failure {
        Failure::Denied => NOT_ALLOWED,
        _ => "the statement cannot be prepared: the database refuses it",
    };
    let position = match failure {
        Failure::Malformed { position, .. } => *position,
        _ => None,
    };
    let refused = || Error::new(ErrorKind::Statement, reason).with_position(position);
    error::transient_error(failure).unwrap_or_else(refused)
}

fn constraint_failure(code: i32, message: &str) -> Failure {
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
            let (kind, columns) = (Constraint::Check, Vec::new());
            return Failure::Constraint { kind, name: None, columns };
        }
        _ => Constraint::Check,
    };
    let subject = message.split_once(": ").map_or("", |(_, subject)| subject);
    let (name, columns) = match kind {
        Constraint::Check => match constraint_name(subject) {
            None => (None, words_outside_strings(subject)),
            name => (name, Vec::new()),
        },
        Constraint::ForeignKey => (None, Vec::new()),
        Constraint::NotNull | Constraint::Unique => {
            (index_name(subject), columns_in_message(subject))
        }
    };
    Failure::Constraint { kind, name, columns }
}

/// The columns of `table.first, table.second`.
fn columns_in_message(subject: &str) -> Vec<String> {
    let columns = subject.split(", ").filter_map(|column| column.split_once('.'));
    columns.map(|(_, column)| column.to_owned()).collect()
}

/// The index of `index 'name'`.
fn index_name(subject: &str) -> Option<String> {
    let name = subject.strip_prefix("index '")?.strip_suffix('\'')?;
    constraint_name(name)
}

/// The name of a constraint; an unnamed one has its expression there.
fn constraint_name(subject: &str) -> Option<String> {
    let is_name = subject.chars().all(is_of_name);
    (is_name && !subject.is_empty()).then(|| subject.to_owned())
}

/// The words of an expression outside its strings, columns among them.
fn words_outside_strings(expression: &str) -> Vec<String> {
    let outside = expression.split('\'').step_by(2);
    let words = outside.flat_map(|part| part.split(|letter: char| !is_of_name(letter)));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The engine's own name of the commonest codes, the number of the others.
fn code_name(code: i32) -> String {
    let name = match code & 0xff {
        ffi::SQLITE_ERROR => "SQLITE_ERROR",
        ffi::SQLITE_IOERR => "SQLITE_IOERR",
        _ => return code.to_string(),
    };
    name.to_owned()
}

const CANNOT_OPEN: &str = "the file of the database cannot be opened: a file in WAL mode, or after a crash, needs a process that \
    may write its folder";

const NOT_ALLOWED: &str = "the statement cannot be prepared: it touches what its tool may not, or is no statement on rows";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_on_a_full_disk_is_not_reported_as_away() {
        for (code, expected) in [
            (ffi::SQLITE_FULL, Failure::Full),
            (ffi::SQLITE_IOERR_WRITE, Failure::Unable { code: Some("SQLITE_IOERR".to_owned()) }),
            (ffi::SQLITE_IOERR_FSYNC, Failure::Unable { code: Some("SQLITE_IOERR".to_owned()) }),
            (ffi::SQLITE_READONLY, Failure::ReadOnly),
            (ffi::SQLITE_READONLY_DBMOVED, Failure::ReadOnly),
            (ffi::SQLITE_BUSY, Failure::Conflict),
            (ffi::SQLITE_PROTOCOL, Failure::Conflict),
            (ffi::SQLITE_INTERRUPT, Failure::TimedOut { is_rolled_back: true }),
            (ffi::SQLITE_MISUSE, Failure::Internal),
        ] {
            let failed = Failed::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(from_error(&failed), expected, "{code}");
        }
    }

    #[test]
    fn a_text_of_our_own_that_the_engine_does_not_parse_is_no_database_that_is_away() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let failure = from_error(&connection.prepare("selec 1").unwrap_err());
        let code = Some("SQLITE_ERROR".to_owned());
        assert_eq!(failure, Failure::Malformed { code, position: Some(1) });
        assert_eq!(catalog_reading_error(&failure).kind(), ErrorKind::Catalog);
        assert_eq!(catalog_reading_error(&Failure::Full).kind(), ErrorKind::Unavailable);
    }
}

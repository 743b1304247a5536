//! The reasons of PostgreSQL for not running a statement, by its SQLSTATE (PostgreSQL, appendix A). The server's texts are never
//! read: they quote values of other rows.

use tokio_postgres::{
    Error,
    error::{DbError, SqlState},
    types::WrongType,
};

use crate::transaction::{Constraint, Failure};

/// The failure of a statement before a commit was sent.
pub(super) fn failure_before_commit(error: &Error) -> Failure {
    match error.as_db_error() {
        Some(error) => of_server(error),
        None => failure_without_server(error),
    }
}

/// The failure of the statement that begins a transaction.
pub(super) fn of_beginning(error: &Error) -> Failure {
    match error.code().map(SqlState::code) {
        // A standby takes no transaction that may write.
        Some("0A000") => Failure::ReadOnly,
        _ => failure_before_commit(error),
    }
}

/// A failure without the server's word: the connection broke, or a column that was a number has a type that the driver does not read.
fn failure_without_server(error: &Error) -> Failure {
    let source = std::error::Error::source(error);
    let is_of_type = source.is_some_and(<dyn std::error::Error>::is::<WrongType>);
    if is_of_type { Failure::Stale } else { lost_connection() }
}

/// The failure of a commit: a lost connection leaves open whether it was made.
pub(super) fn of_commit(error: &Error) -> Failure {
    let lost = Failure::Lost { may_be_committed: true };
    match error.as_db_error() {
        Some(error) if is_connection_end(error.code().code()) => lost,
        Some(error) => of_server(error),
        None => lost,
    }
}

/// True if the statement is not prepared on this connection, although it was.
pub(super) fn is_unprepared(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code() == "26000")
}

pub(super) fn lost_connection() -> Failure {
    Failure::Lost { may_be_committed: false }
}

fn of_server(error: &DbError) -> Failure {
    of_code(error.code().code(), [error.constraint(), error.column()])
}

/// The failure by the server's code, with the constraint and the column that it names.
fn of_code(code: &str, [name, column]: [Option<&str>; 2]) -> Failure {
    let constraint = |kind| Failure::Constraint {
        kind,
        name: name.map(str::to_owned),
        columns: column.map(str::to_owned).into_iter().collect(),
    };
    let with_code = || Some(code.to_owned());
    let class = code.get(..2).unwrap_or_default();
    match (class, code) {
        (_, "23502") => constraint(Constraint::NotNull),
        (_, "23001" | "23503") => constraint(Constraint::ForeignKey),
        (_, "23505" | "23P01") => constraint(Constraint::Unique),
        // 44000: a row outside the condition of its view.
        (_, "23514" | "44000") => constraint(Constraint::Check),
        ("40", _) | (_, "55P03" | "55006") => Failure::Conflict,
        (_, "57014" | "25P03" | "57P05" | "25P04") => Failure::TimedOut { is_rolled_back: true },
        (_, "42501") => Failure::Denied,
        (_, "25006") => Failure::ReadOnly,
        // A plan whose columns changed, and what is not there (any more).
        (
            _,
            "0A000" | "26000" | "3F000" | "42P01" | "42703" | "42704" | "42883" | "42804" | "42846",
        ) => Failure::Stale,
        ("22", _) => Failure::InvalidValue,
        // 53400: `temp_file_limit`, the bytes of the disk that a statement may use.
        ("54", _) | (_, "53400") => Failure::TooLarge,
        (_, "53100") => Failure::Full,
        (_, "53300") => Failure::Busy,
        (_, "08P01") | ("25" | "34" | "42", _) => {
            Failure::Malformed { code: with_code(), position: None }
        }
        // The server ends the connection, before the commit.
        ("08" | "57", _) => lost_connection(),
        ("53" | "58" | "XX", _) => Failure::Unable { code: with_code() },
        _ => Failure::Other { code: with_code() },
    }
}

/// True if the server ends the connection, so that a commit may have been made.
fn is_connection_end(code: &str) -> bool {
    matches!(code.get(..2), Some("08" | "57" | "58" | "XX")) && code != "57014"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_with_a_full_disk_is_not_reported_as_away() {
        let code = |code: &str| Some(code.to_owned());
        let unable = |of: &str| Failure::Unable { code: code(of) };
        let malformed = |of: &str| Failure::Malformed { code: code(of), position: None };
        for (sqlstate, expected) in [
            ("53100", Failure::Full),
            ("53200", unable("53200")),
            ("53300", Failure::Busy),
            ("53400", Failure::TooLarge),
            ("58030", unable("58030")),
            ("58P01", unable("58P01")),
            ("XX001", unable("XX001")),
            ("25006", Failure::ReadOnly),
            ("57P01", lost_connection()),
            ("57P03", lost_connection()),
            ("57014", Failure::TimedOut { is_rolled_back: true }),
            ("40P01", Failure::Conflict),
            ("55P03", Failure::Conflict),
            ("42601", malformed("42601")),
            ("42702", malformed("42702")),
            ("25P02", malformed("25P02")),
            ("42P01", Failure::Stale),
            ("P0001", Failure::Other { code: code("P0001") }),
        ] {
            assert_eq!(of_code(sqlstate, [None; 2]), expected, "{sqlstate}");
        }
    }
}

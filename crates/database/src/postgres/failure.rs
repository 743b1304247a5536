//! The reasons of PostgreSQL for not running a statement, by its SQLSTATE (PostgreSQL, appendix A). The server's texts are never
//! read: they quote values of other rows.

use tokio_postgres::{Error, error::DbError};

use crate::transaction::{Constraint, Failure};

/// The failure of a statement before a commit was sent.
pub(super) fn of_statement(error: &Error) -> Failure {
    match error.as_db_error() {
        Some(error) => of_server(error),
        None => lost(),
    }
}

/// The failure of a commit: a lost connection leaves open whether it was made.
pub(super) fn of_commit(error: &Error) -> Failure {
    let lost = Failure::Lost { may_be_committed: true };
    match error.as_db_error() {
        Some(error) if is_of_the_end(error.code().code()) => lost,
        Some(error) => of_server(error),
        None => lost,
    }
}

/// True if the statement is not prepared on this connection, although it was.
pub(super) fn is_unprepared(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code() == "26000")
}

pub(super) fn lost() -> Failure {
    Failure::Lost { may_be_committed: false }
}

fn of_server(error: &DbError) -> Failure {
    let code = error.code().code();
    let constraint = |kind| Failure::Constraint {
        kind,
        name: error.constraint().map(str::to_owned),
        column: error.column().map(str::to_owned),
    };
    let class = code.get(..2).unwrap_or_default();
    match (class, code) {
        (_, "23502") => constraint(Constraint::NotNull),
        (_, "23001" | "23503") => constraint(Constraint::ForeignKey),
        (_, "23505" | "23P01") => constraint(Constraint::Unique),
        // 44000: a row outside the condition of its view.
        (_, "23514" | "44000") => constraint(Constraint::Check),
        ("40", _) | (_, "55P03" | "55006") => Failure::Conflict,
        (_, "57014" | "25P03" | "57P05" | "25P04") => Failure::TimedOut { is_rolled_back: true },
        (_, "42501" | "25006") => Failure::Denied,
        // A plan whose columns changed, and what is not there (any more).
        (
            _,
            "0A000" | "26000" | "3F000" | "42P01" | "42703" | "42704" | "42883" | "42804" | "42846",
        ) => Failure::Stale,
        ("22", _) => Failure::InvalidValue,
        ("54", _) => Failure::TooLarge,
        ("08" | "53" | "57" | "58", _) => Failure::Unavailable {
            reason: "the database has no capacity or is shutting down".to_owned(),
        },
        _ => Failure::Other { code: Some(code.to_owned()) },
    }
}

/// True if the server ends the connection, so that a commit may have been made.
fn is_of_the_end(code: &str) -> bool {
    matches!(code.get(..2), Some("08" | "57" | "58" | "XX")) && code != "57014"
}

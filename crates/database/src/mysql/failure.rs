//! The reasons of MariaDB and MySQL for not running a command, by their error numbers
//! (<https://mariadb.com/kb/en/mariadb-error-codes/>). Of the server's texts, which quote values of other rows, only the name of a constraint, a column or
//! a table is read.

use std::io;

use crate::{
    error::{self, Error, ErrorKind},
    transaction::{Constraint, Failure},
};

/// The reason why a command has no result.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum CommandError {
    /// The server's own number, with the constraint or the column that refuses a change, or the column or table that a statement may not
    /// name.
    Constraint { code: u16, name: String },
    /// The connection is broken, or what came is no answer.
    Lost,
    /// The server's own number.
    Server(u16),
}

impl From<io::Error> for CommandError {
    fn from(_: io::Error) -> Self {
        Self::Lost
    }
}

impl CommandError {
    /// The server's own number.
    fn code(&self) -> Option<u16> {
        match self {
            Self::Constraint { code, .. } | Self::Server(code) => Some(*code),
            Self::Lost => None,
        }
    }

    /// The reason that a packet of the server gives: its number, and behind it the class and the text.
    pub(super) fn from_packet(code: u16, packet: &[u8]) -> Self {
        let text = String::from_utf8_lossy(packet.get(TEXT_AT..).unwrap_or_default());
        match name_in_text(code, &text) {
            Some(name) => Self::Constraint { code, name: name.to_owned() },
            None => Self::Server(code),
        }
    }
}

/// The constraint, the column or the table in the text of a refusal. A value in front of it may hold anything.
fn name_in_text(code: u16, text: &str) -> Option<&str> {
    match code {
        1048 | 1364 | 3819 => text.split('\'').nth(1),
        1062 | 1586 => {
            let (_, name) = text.strip_suffix('\'')?.rsplit_once("for key '")?;
            name.rsplit('.').next()
        }
        1451 | 1452 => text.split_once("CONSTRAINT `")?.1.split('`').next(),
        4025 => text.strip_prefix("CONSTRAINT `")?.split('`').next()?.rsplit('.').next(),
        // Names as the statement writes them.
        1054 => text.strip_prefix("Unknown column '")?.rsplit_once("' in '").map(|(name, _)| name),
        1142 => {
            text.rsplit_once("for table ")?.1.rsplit(['.', '`', '\'']).find(|it| !it.is_empty())
        }
        1143 => {
            let (before, _) = text.rsplit_once("' in table '")?;
            before.rsplit_once("for column '").map(|(_, name)| name)
        }
        1146 => text.strip_prefix("Table '")?.split('\'').next()?.rsplit('.').next(),
        _ => None,
    }
}

/// The failure of a command before a commit was sent.
pub(super) fn failure_before_commit(error: CommandError) -> Failure {
    match error {
        CommandError::Constraint { code, name } => of_server(code, Some(name)),
        CommandError::Lost => lost_connection(),
        CommandError::Server(code) => of_server(code, None),
    }
}

/// The failure of a commit: a lost connection leaves open whether it was made.
pub(super) fn of_commit(error: CommandError) -> Failure {
    match error {
        CommandError::Lost | CommandError::Server(1053 | 1317 | 1927 | 4031) => {
            Failure::Lost { may_be_committed: true }
        }
        error @ (CommandError::Constraint { .. } | CommandError::Server(_)) => {
            failure_before_commit(error)
        }
    }
}

/// True if the statement is not prepared on this connection, although it was.
pub(super) fn is_unprepared(error: &CommandError) -> bool {
    *error == CommandError::Server(1243)
}

/// A connection that could not be opened.
pub(super) fn of_opening(error: &CommandError) -> Error {
    match error.code() {
        Some(1044 | 1045 | 1142 | 1227 | 1698 | 1820 | 1862 | 3118 | 4151) => {
            Error::new(ErrorKind::Denied, "the database refuses the login")
        }
        Some(1049) => Error::new(ErrorKind::Denied, "the server has no database of this name"),
        Some(1193 | 1231 | 1232) => Error::new(
            ErrorKind::Denied,
            "the server does not take the settings of a connection: it is older than MariaDB 10.6 and MySQL 8.0, or a proxy",
        ),
        Some(1040 | 1203 | 1226) => {
            Error::new(ErrorKind::Busy, "the server has no connection left")
        }
        _ => unavailable(),
    }
}

/// A statement of callgate's own on the catalog that has no result.
pub(super) fn catalog_reading_error(error: &CommandError) -> Error {
    let Some(code) = error.code() else { return unavailable() };
    let failure = of_server(code, None);
    if failure == Failure::Denied {
        let message = "the database does not let the login read its catalog";
        return Error::new(ErrorKind::Denied, message);
    }
    let own = || error::catalog_statement_error(&format!("error {code}"));
    error::transient_error(&failure).unwrap_or_else(own)
}

/// A statement that cannot be prepared. The number says what is wrong; the server's text may quote the statement.
pub(super) fn of_preparing(error: &CommandError, statement: &str) -> Error {
    let Some(code) = error.code() else { return unavailable() };
    if let Some(error) = error::transient_error(&of_server(code, None)) {
        return error;
    }
    let reason = match code {
        1064 | 1149 => "the statement is not one statement of SQL",
        1146 | 1051 | 1109 | 1049 => "the statement names a table that is not there",
        1054 => "the statement names a column that is not there",
        1305 | 1630 => "the statement names a function that is not there",
        1044 | 1142 | 1143 | 1370 | 1227 => "the login may not do what the statement does",
        1792 => "the statement changes something, and no tool of the toolset may",
        1295 => "the database prepares no statement of this kind",
        1060 => "two columns of the statement have one name",
        _ => "the database does not take the statement",
    };
    let position = match error {
        CommandError::Constraint { name, .. } => position_of_name(statement, name),
        CommandError::Lost | CommandError::Server(_) => None,
    };
    Error::new(ErrorKind::Statement, format!("{reason}; error {code}")).with_position(position)
}

/// The character, counted from 1, at which a statement has the last part of a name as a word of its own.
fn position_of_name(statement: &str, name: &str) -> Option<usize> {
    let name = name.rsplit('.').next().filter(|name| !name.is_empty())?;
    let mut before_words = statement.match_indices(name).filter_map(|(at, _)| {
        let (before, rest) = statement.split_at_checked(at)?;
        let behind = rest.strip_prefix(name)?;
        let is_part = before.ends_with(is_of_word) || behind.starts_with(is_of_word);
        // A table before one of its columns is no last part.
        let is_last = !behind.trim_start_matches('`').starts_with('.');
        (!is_part && is_last).then_some(before)
    });
    Some(before_words.next()?.chars().count().saturating_add(1))
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

pub(super) fn unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, "no connection to the database")
}

pub(super) fn lost_connection() -> Failure {
    Failure::Lost { may_be_committed: false }
}

/// True for a warning that a value was not what the statement compares it with: `nobody` was taken for 0.
pub(super) fn is_coercion(code: &str) -> bool {
    matches!(code, "1265" | "1292" | "1366" | "1411" | "1918")
}

/// The failure by the server's number, with the constraint or the column that its text names.
fn of_server(code: u16, name: Option<String>) -> Failure {
    let columns = name.iter().cloned().collect();
    let constraint = |kind| Failure::Constraint { kind, name, columns: Vec::new() };
    match code {
        1022 | 1062 | 1169 | 1586 | 1859 => constraint(Constraint::Unique),
        1216 | 1217 | 1451 | 1452 => constraint(Constraint::ForeignKey),
        1048 | 1263 | 1364 | 1423 => {
            Failure::Constraint { kind: Constraint::NotNull, name: None, columns }
        }
        // A check, and a row outside the condition of its view.
        1369 | 3819 | 4025 => constraint(Constraint::Check),
        1020 | 1205 | 1213 | 1614 | 3572 => Failure::Conflict,
        1317 | 1969 | 3024 => Failure::TimedOut { is_rolled_back: true },
        1044 | 1045 | 1142 | 1143 | 1227 | 1370 => Failure::Denied,
        1290 | 1792 | 1836 => Failure::ReadOnly,
        // What is not there, or is not what it was when it was prepared.
        1049 | 1051 | 1054 | 1109 | 1136 | 1146 | 1243 | 1305 | 1356 | 1412 | 1615 => {
            Failure::Stale
        }
        // Values, and texts that the character set of their column lacks (1267).
        1264 | 1265 | 1267 | 1270 | 1271 | 1292 | 1365 | 1366 | 1367 | 1406 | 1411 | 1690
        | 1918 | 3140 | 4038 => Failure::InvalidValue,
        1038 | 1104 | 1118 | 1153 | 1301 => Failure::TooLarge,
        // 1114: a table that cannot grow, as on a full disk.
        1021 | 1114 => Failure::Full,
        1040 | 1203 | 1226 => Failure::Busy,
        // The server ends the connection, before the commit.
        1053 | 1927 | 4031 => lost_connection(),
        // Files and memory of the server.
        1002..=1006
        | 1009..=1019
        | 1023
        | 1024
        | 1026
        | 1030
        | 1034..=1037
        | 1041
        | 1194
        | 1195
        | 1878 => Failure::Unable { code: Some(code.to_string()) },
        // What is no statement of the server's language, or not one with these values.
        1052 | 1060 | 1064 | 1065 | 1110 | 1149 | 1210 | 1222 | 1241 | 1247 | 1295 | 1582 => {
            Failure::Malformed { code: Some(code.to_string()), position: None }
        }
        code => Failure::Other { code: Some(code.to_string()) },
    }
}

/// The byte of an error's packet at which its text begins.
const TEXT_AT: usize = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constraint_or_the_column_is_read_from_the_text_and_no_value() {
        for (code, text, expected) in [
            (1048, "Column 'total' cannot be null", Some("total")),
            (1364, "Field 'owner' doesn't have a default value", Some("owner")),
            (1062, "Duplicate entry 'for key 'x'-7' for key 'orders.by_note'", Some("by_note")),
            (1062, "Duplicate entry '1' for key 'PRIMARY'", Some("PRIMARY")),
            (
                1452,
                "Cannot add or update a child row: a foreign key constraint fails (`shop`.`lines`, CONSTRAINT `of_order` FOREIGN KEY (`no`) REFERENCES `orders` (`no`))",
                Some("of_order"),
            ),
            (4025, "CONSTRAINT `orders.total` failed for `shop`.`orders`", Some("total")),
            (3819, "Check constraint 'positive' is violated.", Some("positive")),
            (1644, "Column 'secret' of a trigger", None),
            (1054, "Unknown column 'o.totl' in 'field list'", Some("o.totl")),
            (1142, "SELECT command denied to user 'a'@'b' for table `shop`.`ordrs`", Some("ordrs")),
            (1142, "SELECT command denied to user 'a'@'b' for table 'ordrs'", Some("ordrs")),
            (
                1143,
                "SELECT command denied to user 'a'@'b' for column 'totl' in table 'orders'",
                Some("totl"),
            ),
            (1146, "Table 'shop.ordrs' doesn't exist", Some("ordrs")),
        ] {
            assert_eq!(name_in_text(code, text), expected, "{text}");
            let packet = format!("\u{1}\u{2}\u{3}#23000{text}");
            let error = CommandError::from_packet(code, packet.as_bytes());
            assert_eq!(matches!(error, CommandError::Constraint { .. }), expected.is_some());
        }
    }

    #[test]
    fn a_name_has_the_position_of_its_word() {
        for (statement, name, position) in [
            ("select totl from orders", "totl", Some(8)),
            ("select totls, ü, `totl` from orders", "o.totl", Some(19)),
            ("select ordrs.no, `ordrs`.total from ordrs", "ordrs", Some(37)),
            ("select total from orders", "totl", None),
            ("select 1", "", None),
        ] {
            assert_eq!(position_of_name(statement, name), position, "{statement}");
        }
    }

    #[test]
    fn a_server_with_a_full_disk_is_not_reported_as_away() {
        let code = |code: u16| Some(code.to_string());
        let malformed = |of: u16| Failure::Malformed { code: code(of), position: None };
        for (number, expected) in [
            (1021, Failure::Full),
            (1114, Failure::Full),
            (1030, Failure::Unable { code: code(1030) }),
            (1037, Failure::Unable { code: code(1037) }),
            (1040, Failure::Busy),
            (1226, Failure::Busy),
            (1290, Failure::ReadOnly),
            (1836, Failure::ReadOnly),
            (1053, lost_connection()),
            (1205, Failure::Conflict),
            (1213, Failure::Conflict),
            (1317, Failure::TimedOut { is_rolled_back: true }),
            (1064, malformed(1064)),
            (1052, malformed(1052)),
            (1146, Failure::Stale),
            (1644, Failure::Other { code: code(1644) }),
        ] {
            assert_eq!(of_server(number, None), expected, "{number}");
        }
        assert_eq!(of_opening(&CommandError::Server(1040)).kind(), ErrorKind::Busy);
        for passes in [1021, 1030, 1053, 1205] {
            let error = catalog_reading_error(&CommandError::Server(passes));
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{passes}");
        }
        assert_eq!(catalog_reading_error(&CommandError::Server(1064)).kind(), ErrorKind::Catalog);
    }
}

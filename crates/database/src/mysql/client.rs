//! The commands of a connection. Statements are prepared; constant commands alone are sent as texts, and the server takes one
//! statement in such a text, since the client has not asked for more. Commands are written first and sent together; their
//! answers come in the same order.

use std::io;

use super::{
    failure::CommandError,
    handshake::error_code,
    payload::{Payload, put_length_encoded_bytes},
    row::{self, ResultColumn},
    wire::Wire,
};
use crate::transaction::Rows;

/// A connection that has signed in.
#[derive(Debug)]
pub(super) struct Client {
    wire: Wire,
    is_extended: bool,
}

/// A statement that the server has prepared on this connection.
#[derive(Clone, Debug)]
pub(super) struct PreparedStatement {
    id: u32,
    pub(super) n_values: usize,
    pub(super) columns: Vec<ResultColumn>,
}

/// A value of a prepared statement.
#[derive(Clone, Copy)]
pub(super) enum BoundValue<'a> {
    Float(f64),
    Text(Option<&'a str>),
    Whole(u64),
}

/// A constant command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Control {
    BeginRead,
    BeginWrite,
    Commit,
    Isolate,
    IsolateReads,
    Rollback,
    SetUp,
    Warnings,
}

/// The form of a result's rows: those of prepared statements are binary.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RowFormat {
    Binary,
    Text,
}

/// What is done with rows beyond those that are kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Beyond {
    /// They are counted.
    Count,
    /// They are not read: the connection is of no more use then.
    Stop,
}

/// The answer to a command.
#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) rows: Rows,
    /// The rows that it changed or, of one with columns, that it has.
    pub(super) affected: u64,
    pub(super) n_warnings: u16,
    pub(super) n_columns: usize,
    /// True if there are rows that were not read.
    pub(super) is_cut: bool,
}

impl Client {
    pub(super) fn new(wire: Wire, is_extended: bool) -> Self {
        Self { wire, is_extended }
    }

    pub(super) fn is_closed(&mut self) -> bool {
        self.wire.is_closed()
    }

    pub(super) async fn send(&mut self) -> io::Result<()> {
        self.wire.send().await
    }

    pub(super) fn write_control(&mut self, control: Control) {
        self.wire.write_command(&[&[QUERY], control.text().as_bytes()].concat());
    }

    pub(super) fn write_prepare(&mut self, text: &str) {
        self.wire.write_command(&[&[PREPARE], text.as_bytes()].concat());
    }

    /// Resets the session: variables, locks, temporary tables, and what was prepared.
    pub(super) fn write_reset(&mut self) {
        self.wire.write_command(&[RESET]);
    }

    /// Forgets a statement. The server does not answer.
    pub(super) fn write_close(&mut self, statement: &PreparedStatement) {
        self.wire.write_command(&[&[CLOSE][..], &statement.id.to_le_bytes()].concat());
    }

    /// Runs a prepared statement with these values, of which there are as many as it takes.
    pub(super) fn write_execute(
        &mut self,
        statement: &PreparedStatement,
        values: &[BoundValue<'_>],
    ) {
        let mut out = vec![EXECUTE];
        out.extend(statement.id.to_le_bytes());
        // No cursor, once.
        out.extend([0, 1, 0, 0, 0]);
        if !values.is_empty() {
            // A bit for each value says that it is null.
            let is_null =
                |value: &BoundValue<'_>| u8::from(matches!(value, BoundValue::Text(None)));
            let byte = |eight: &[BoundValue<'_>]| {
                eight.iter().rev().fold(0, |byte, value| byte << 1 | is_null(value))
            };
            out.extend(values.chunks(8).map(byte));
            // The types of the values follow.
            out.push(1);
            out.extend(values.iter().flat_map(|value| value.type_bytes()));
            for value in values {
                value.write_to(&mut out);
            }
        }
        self.wire.write_command(&out);
    }

    /// The answer to `prepare`.
    pub(super) async fn read_prepared(&mut self) -> Result<PreparedStatement, CommandError> {
        let payload = self.read_packet().await?;
        let mut payload = Payload(&payload);
        let read = payload.byte().zip(payload.u32()).zip(payload.u16()).zip(payload.u16());
        let Some((((0, id), n_columns), n_values)) = read else { return Err(CommandError::Lost) };
        for _ in 0..n_values {
            self.read_packet().await?;
        }
        if n_values > 0 {
            self.read_end_of_columns().await?;
        }
        let columns = self.read_columns(n_columns.into()).await?;
        Ok(PreparedStatement { id, n_values: n_values.into(), columns })
    }

    /// The answer to a command that returns nothing.
    pub(super) async fn read_ok(&mut self) -> Result<(), CommandError> {
        self.read_reply(RowFormat::Text, 0, Beyond::Count).await.map(drop)
    }

    /// The answer to a command, with at most so many rows.
    pub(super) async fn read_reply(
        &mut self,
        form: RowFormat,
        most: usize,
        beyond: Beyond,
    ) -> Result<Reply, CommandError> {
        let payload = self.read_packet().await?;
        // A server that asks for a file of this machine gets none.
        match payload.first() {
            Some(0) => return change_reply(Payload(&payload)).ok_or(CommandError::Lost),
            Some(0xfb) | None => return Err(CommandError::Lost),
            Some(_) => {}
        }
        let n_columns =
            Payload(&payload).length_encoded_integer().filter(|count| *count <= MOST_COLUMNS);
        let columns = self.read_columns(n_columns.ok_or(CommandError::Lost)?).await?;
        let mut reply = Reply { n_columns: columns.len(), ..Reply::default() };
        loop {
            let payload = self.read_packet().await?;
            if let Some(n_warnings) = final_warning_count(&payload)? {
                reply.n_warnings = n_warnings;
                return Ok(reply);
            }
            reply.affected += 1;
            if reply.rows.len() < most {
                let row = match form {
                    RowFormat::Binary => row::read_binary_row(&payload, &columns),
                    RowFormat::Text => row::read_text_row(&payload, columns.len()),
                };
                reply.rows.push(row.ok_or(CommandError::Lost)?);
            } else if beyond == Beyond::Stop {
                reply.is_cut = true;
                return Ok(reply);
            }
        }
    }

    async fn read_columns(&mut self, count: u64) -> Result<Vec<ResultColumn>, CommandError> {
        let mut columns = Vec::new();
        for _ in 0..count {
            let payload = self.read_packet().await?;
            let column = ResultColumn::read(&payload, self.is_extended);
            columns.push(column.ok_or(CommandError::Lost)?);
        }
        if count > 0 {
            self.read_end_of_columns().await?;
        }
        Ok(columns)
    }

    async fn read_end_of_columns(&mut self) -> Result<(), CommandError> {
        final_warning_count(&self.read_packet().await?)?.map(drop).ok_or(CommandError::Lost)
    }

    /// A packet that is no error.
    async fn read_packet(&mut self) -> Result<Vec<u8>, CommandError> {
        let payload = self.wire.receive().await?;
        match error_code(&payload) {
            Some(code) => Err(CommandError::from_packet(code, &payload)),
            None => Ok(payload),
        }
    }
}

/// The counts of a command without columns.
fn change_reply(mut payload: Payload<'_>) -> Option<Reply> {
    payload.byte()?;
    let affected = payload.length_encoded_integer()?;
    payload.length_encoded_integer()?;
    let status = payload.u16()?;
    let n_warnings = payload.u16()?;
    (status & MORE_RESULTS == 0).then_some(Reply { affected, n_warnings, ..Reply::default() })
}

/// The number of warnings, if the packet is the last one of a result.
fn final_warning_count(payload: &[u8]) -> Result<Option<u16>, CommandError> {
    let [0xfe, low, high, status, _] = *payload else { return Ok(None) };
    if u16::from(status) & MORE_RESULTS != 0 {
        return Err(CommandError::Lost);
    }
    Ok(Some(u16::from_le_bytes([low, high])))
}

impl BoundValue<'_> {
    /// The type, and whether it has no sign.
    fn type_bytes(self) -> [u8; 2] {
        match self {
            Self::Float(_) => [5, 0],
            Self::Text(_) => [253, 0],
            Self::Whole(_) => [8, 0x80],
        }
    }

    fn write_to(self, out: &mut Vec<u8>) {
        match self {
            Self::Float(value) => out.extend(value.to_le_bytes()),
            Self::Text(Some(text)) => put_length_encoded_bytes(out, text.as_bytes()),
            Self::Text(None) => {}
            Self::Whole(value) => out.extend(value.to_le_bytes()),
        }
    }
}

// No log holds a value.
callgate_secret::opaque!(BoundValue<'_> = "****");

impl Control {
    fn text(self) -> &'static str {
        match self {
            Self::BeginRead => "START TRANSACTION READ ONLY",
            Self::BeginWrite => "START TRANSACTION READ WRITE",
            Self::Commit => "COMMIT",
            Self::Isolate => "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
            Self::IsolateReads => {
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY"
            }
            Self::Rollback => "ROLLBACK",
            Self::SetUp => SET_UP,
            Self::Warnings => "SHOW WARNINGS",
        }
    }
}

/// What holds for every connection, whatever the server's defaults are: no value is cut or replaced to fit, backslashes and
/// double quotes are as statements are read here, times are in UTC, and keys are checked.
const SET_UP: &str = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,\
    NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', autocommit = 1, completion_type = 0, foreign_key_checks = 1, \
    unique_checks = 1, sql_notes = 0, sql_safe_updates = 0, wait_timeout = 180";

const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const CLOSE: u8 = 0x19;
const RESET: u8 = 0x1f;

/// The state of a server that has a further result for a command.
const MORE_RESULTS: u16 = 1 << 3;

/// The columns that a table or a result can have.
const MOST_COLUMNS: u64 = 4096;

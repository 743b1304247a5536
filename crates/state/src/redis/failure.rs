//! A command that was not executed, or of which nobody knows it. The engine turns it into an error of stores.

use std::time::Duration;

use callgate_secret::single_flight::FetchFailure;
use callgate_session::{Error, ErrorKind};
use redis::{RedisError, ServerError, Value};

/// The reason why a command has no reply to work with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Failure {
    /// There is no connection: the command was not sent.
    Away(String),
    /// The server removes records when its memory is full: the command was not sent.
    Evicts(String),
    /// The change was made, and too few replicas have it in time.
    NotReplicated { expected: u32, got: i64 },
    /// The server refused the command: it was not executed.
    Refused { code: String, detail: String },
    /// The command was sent and has no reply.
    Unanswered(String),
    /// The reply has another form than the command's.
    Unexpected,
}

impl Failure {
    pub(super) fn from_server_error(error: &ServerError) -> Self {
        let detail = error.details().unwrap_or_default().to_owned();
        Self::Refused { code: error.code().to_owned(), detail }
    }

    pub(super) fn from_unanswered_error(error: &RedisError) -> Self {
        Self::Unanswered(error.to_string())
    }

    /// Returns true if the server is of no use for now: other commands would fail as well.
    pub(super) fn is_server_unusable(&self) -> bool {
        match self {
            Self::Away(_) | Self::Unanswered(_) => true,
            Self::Refused { code, .. } => UNUSABLE.contains(&&**code),
            Self::Evicts(_) | Self::NotReplicated { .. } | Self::Unexpected => false,
        }
    }

    pub(super) fn has_code(&self, expected: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == expected)
    }

    pub(super) fn cause_text(&self) -> String {
        match self {
            Self::Away(cause) | Self::Unanswered(cause) => cause.clone(),
            Self::Refused { code, detail } => format!("{code} {detail}"),
            Self::Evicts(policy) => {
                format!("expected `maxmemory-policy noeviction`, got: `{policy}`")
            }
            Self::NotReplicated { expected, got } => {
                format!("expected {expected} replicas with the change, got {got}")
            }
            Self::Unexpected => "a reply in another form".to_owned(),
        }
    }
}

impl FetchFailure for Failure {
    fn is_transient(&self) -> bool {
        true
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let (kind, message) = match &failure {
            Failure::Away(_) => (ErrorKind::Unavailable, AWAY),
            Failure::Evicts(_) => (ErrorKind::Unavailable, EVICTS),
            Failure::NotReplicated { .. } => (ErrorKind::Unavailable, NOT_REPLICATED),
            Failure::Unanswered(_) => (ErrorKind::Unavailable, UNANSWERED),
            Failure::Unexpected => (ErrorKind::Unreadable, UNEXPECTED),
            Failure::Refused { code, .. } if code == "OOM" => (ErrorKind::Full, FULL),
            Failure::Refused { .. } => (ErrorKind::Unavailable, REFUSED),
        };
        let error = Self::new(kind, message).with_source(Cause(failure.cause_text()));
        if kind == ErrorKind::Unavailable { error.with_retry_after(SOON) } else { error }
    }
}

#[derive(Debug)]
struct Cause(String);

callgate_secret::text!(error Cause: Self(text) => "{text}");

/// The bytes of a reply; `None` for nil.
pub(super) fn reply_bytes(value: Value) -> Result<Option<Vec<u8>>, Failure> {
    match value {
        Value::BulkString(bytes) => Ok(Some(bytes)),
        Value::Nil => Ok(None),
        _ => Err(Failure::Unexpected),
    }
}

pub(super) fn reply_elements(value: Value) -> Result<Vec<Value>, Failure> {
    match value {
        Value::Array(values) => Ok(values),
        _ => Err(Failure::Unexpected),
    }
}

pub(super) fn reply_number(value: &Value) -> Result<i64, Failure> {
    match value {
        Value::Int(number) => Ok(*number),
        _ => Err(Failure::Unexpected),
    }
}

/// Replies of a server that executes nothing for now: it loads its file, or is a replica, or has lost its primary.
const UNUSABLE: [&str; 4] = ["LOADING", "MASTERDOWN", "READONLY", "CLUSTERDOWN"];
const SOON: Duration = Duration::from_secs(1);
const AWAY: &str = "the state server cannot be reached";
pub(super) const EVICTS: &str = "the state server removes records when its memory is full, so that it keeps no approvals and idempotency keys: set \
     `maxmemory-policy noeviction`";
const NOT_REPLICATED: &str =
    "the state server has too few replicas that answer in time, so that a change may be lost";
const FULL: &str = "the memory of the state server is full";
const REFUSED: &str = "the state server refuses a command";
const UNANSWERED: &str = "the state server did not answer in time";
const UNEXPECTED: &str = "the state server gives a reply in another form";

//! A server that speaks enough of PostgreSQL's protocol to be signed in to and asked, and then does what a test says.
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::{
    collections::BTreeMap,
    mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::super::super::connection::{SEARCH_PATH, SETTINGS};
use crate::tests::act::Act;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// The statement that the server does not answer as it should.
pub(super) const ATTACKED: &str = "select 'attack'";

/// The statement whose answer is the number of the connection. All others are answered with their texts.
pub(super) const NUMBER: &str = "select 'number'";

/// The answer that is another one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Moment {
    /// The rows of [`ATTACKED`].
    Execute,
    /// The columns of [`ATTACKED`].
    Describe,
    /// The first word.
    SignIn,
}

/// Starts a server, which stops with the runtime of the test. Returns its port.
pub(super) async fn start(moment: Moment, act: Act) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let count = Arc::new(AtomicUsize::new(0));
        while let Ok((stream, _)) = listener.accept().await {
            let (count, act) = (Arc::clone(&count), act.clone());
            tokio::spawn(async move {
                let mut session = Session {
                    stream,
                    moment,
                    act,
                    number: 0,
                    n_types: 0,
                    statements: BTreeMap::new(),
                    current: String::new(),
                    out: Vec::new(),
                };
                session.serve(&count).await
            });
        }
    });
    port
}

pub(super) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], body].concat()
}

/// A row of these values.
pub(super) fn row(values: &[&[u8]]) -> Vec<u8> {
    let mut body = count(values.len()).to_vec();
    for value in values {
        body.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
        body.extend(*value);
    }
    message(b'D', &body)
}

/// The columns of a result, with these types.
pub(super) fn columns(types: &[u32]) -> Vec<u8> {
    let mut body = count(types.len()).to_vec();
    for of in types {
        body.extend(b"a\0\0\0\0\0\0\0");
        body.extend(of.to_be_bytes());
        // Of any length, in the binary form.
        body.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1]);
    }
    message(b'T', &body)
}

/// The end of a statement's answer.
pub(super) fn complete() -> Vec<u8> {
    message(b'C', b"SELECT 1\0")
}

pub(super) fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

/// An error, or a notice with the tag `N`.
pub(super) fn error(tag: u8, code: &str, text: &str) -> Vec<u8> {
    let fields = format!("SERROR\0VERROR\0C{code}\0M{text}\0\0");
    message(tag, fields.as_bytes())
}

/// One connection.
struct Session {
    stream: TcpStream,
    moment: Moment,
    act: Act,
    number: usize,
    /// The types that the client has asked for.
    n_types: u32,
    /// The texts of statements by their names, and the number of their values.
    statements: BTreeMap<String, (String, usize)>,
    /// The text of the statement that runs next.
    current: String,
    /// Answers that are not sent yet.
    out: Vec<u8>,
}

impl Session {
    /// Serves the client until it is gone.
    async fn serve(&mut self, n_sessions: &AtomicUsize) -> Option<()> {
        self.sign_in(n_sessions).await?;
        loop {
            let tag = self.stream.read_u8().await.ok()?;
            let body = self.body().await?;
            if self.is_attacked(tag, &body) {
                self.send().await?;
                self.act.on(&mut self.stream).await?;
                continue;
            }
            let answer = self.answer(tag, &body)?;
            self.out.extend(answer);
            if tag == b'S' {
                self.send().await?;
            }
        }
    }

    /// Lets the client in. `None` if the connection has no further use.
    async fn sign_in(&mut self, n_sessions: &AtomicUsize) -> Option<()> {
        let start = self.body().await?;
        // A request to cancel has no answer.
        if start.starts_with(&CANCEL) {
            return None;
        }
        if self.moment == Moment::SignIn {
            self.act.on(&mut self.stream).await?;
        }
        self.number = n_sessions.fetch_add(1, Ordering::SeqCst) + 1;
        let signed_in = [message(b'R', &[0; 4]), message(b'K', &[1; 8]), ready()].concat();
        self.stream.write_all(&signed_in).await.ok()
    }

    fn is_attacked(&self, tag: u8, body: &[u8]) -> bool {
        match self.moment {
            Moment::Execute => tag == b'E' && self.current == ATTACKED,
            Moment::Describe => {
                let statement = self.statements.get(text(body, 0).get(1..).unwrap_or_default());
                tag == b'D' && statement.is_some_and(|(sql, _)| sql == ATTACKED)
            }
            Moment::SignIn => false,
        }
    }

    /// The answer to a message; `None` if the client has left.
    fn answer(&mut self, tag: u8, body: &[u8]) -> Option<Vec<u8>> {
        Some(match tag {
            b'P' => {
                let (name, sql) = (text(body, 0), text(body, 1));
                let n_values = body.get(name.len() + sql.len() + 3).copied().unwrap_or_default();
                self.statements.insert(name, (sql, n_values.into()));
                message(b'1', &[])
            }
            b'B' => {
                self.current = self.statements.get(&text(body, 1)).cloned().unwrap_or_default().0;
                message(b'2', &[])
            }
            b'D' => {
                let (sql, n_values) = self.statements.get(text(body, 0).get(1..)?)?;
                described(sql, *n_values)
            }
            b'E' => {
                self.n_types += u32::from(is_of_types(&self.current));
                executed(&self.current, self.number, self.n_types)
            }
            b'C' => message(b'3', &[]),
            b'S' => ready(),
            _ => return None,
        })
    }

    /// Sends what was answered up to now.
    async fn send(&mut self) -> Option<()> {
        let out = mem::take(&mut self.out);
        self.stream.write_all(&out).await.ok()
    }

    /// The rest of a message.
    async fn body(&mut self) -> Option<Vec<u8>> {
        let length = self.stream.read_u32().await.ok()?;
        let mut body = vec![0; length.checked_sub(4)? as usize];
        self.stream.read_exact(&mut body).await.ok()?;
        Some(body)
    }
}

/// A text of a message, by its number: each ends with a zero.
fn text(body: &[u8], at: usize) -> String {
    let text = body.split(|byte| *byte == 0).nth(at).unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The values and columns of a statement.
fn described(sql: &str, n_values: usize) -> Vec<u8> {
    let n_values = if is_of_types(sql) { 1 } else { n_values };
    let mut out = count(n_values).to_vec();
    let of_value = if is_of_types(sql) { OID } else { TEXT };
    out.extend((0..n_values).flat_map(|_| of_value.to_be_bytes()));
    let values = message(b't', &out);
    let columns = match sql {
        _ if is_end(sql) => message(b'n', &[]),
        _ if sql.contains("has_function_privilege") => columns(&[TEXT; 14]),
        _ if sql.contains("set_config") => columns(&vec![TEXT; n_values / 2]),
        // A name, a kind, an element, a subtype, a base type, a schema and a relation.
        _ if is_of_types(sql) => columns(&[NAME, CHAR, OID, OID, OID, NAME, OID]),
        _ => columns(&[TEXT]),
    };
    [values, columns].concat()
}

/// The rows of a statement.
fn executed(sql: &str, number: usize, n_types: u32) -> Vec<u8> {
    let number = number.to_string();
    let base = (FIRST_OF_TYPES + n_types).to_be_bytes();
    let row = match sql {
        _ if is_end(sql) => Vec::new(),
        _ if sql.contains("has_function_privilege") => {
            let settings = SETTINGS.map(|(_, value)| value.as_bytes());
            row(&[&[&b"true"[..], b"150000"], &settings[..], &[SEARCH_PATH.as_bytes()]].concat())
        }
        _ if sql.contains("set_config") => row(&vec![&b"1"[..]; sql.matches("set_config").count()]),
        _ if is_of_types(sql) => row(&[b"a", b"d", &[0; 4], &[0; 4], &base, b"public", &[0; 4]]),
        NUMBER => row(&[number.as_bytes()]),
        _ => row(&[sql.as_bytes()]),
    };
    [row, complete()].concat()
}

/// True for a statement that begins or ends a transaction.
fn is_end(sql: &str) -> bool {
    ["begin", "commit", "rollback"].iter().any(|word| sql.starts_with(word))
}

/// True for the statement by which the client asks for a type.
fn is_of_types(sql: &str) -> bool {
    sql.contains("pg_catalog.pg_type")
}

fn count(n: usize) -> [u8; 2] {
    u16::try_from(n).unwrap().to_be_bytes()
}

/// The number of the type of texts.
pub(super) const TEXT: u32 = 25;

/// The number of the first type that no client knows. Each of them is a domain over the next one.
pub(super) const FIRST_OF_TYPES: u32 = 100_000;

const NAME: u32 = 19;
const CHAR: u32 = 18;
const OID: u32 = 26;

/// The number by which a request to cancel is known.
const CANCEL: [u8; 4] = 80_877_102_u32.to_be_bytes();

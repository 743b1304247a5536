//! A server that speaks enough of the protocol to be signed in to and asked, and then does what a test says.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::super::super::payload::put_length_encoded_bytes;
use crate::tests::act::Act;

/// The statement that the server does not answer as it should.
pub(super) const ATTACKED: &str = "select 'attack'";

/// The statement whose answer is the number of the connection. All others are answered with their texts.
pub(super) const NUMBER: &str = "select 'number'";

/// Starts a server, which stops with the runtime of the test. Returns its port.
pub(super) async fn start(act: Act) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let count = Arc::new(AtomicUsize::new(0));
        while let Ok((stream, _)) = listener.accept().await {
            let number = count.fetch_add(1, Ordering::SeqCst);
            let statements = BTreeMap::new();
            let mut session = Session { stream, act: act.clone(), number, statements };
            tokio::spawn(async move { session.serve().await });
        }
    });
    port
}

pub(super) fn packet(payload: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&[a, b, c, 1], payload].concat()
}

pub(super) fn ok() -> Vec<u8> {
    packet(&[0, 0, 0, 2, 0, 0, 0])
}

/// The end of columns or rows, with a state.
pub(super) fn end(state: u8) -> Vec<u8> {
    packet(&[0xfe, 0, 0, state, 0])
}

pub(super) fn error(code: u16) -> Vec<u8> {
    packet(&[&[0xff], &code.to_le_bytes()[..], b"#HY000secret row of bob"].concat())
}

/// A column of texts.
pub(super) fn column() -> Vec<u8> {
    let mut payload = Vec::new();
    for text in ["def", "", "", "", "a", "", ""] {
        put_length_encoded_bytes(&mut payload, text.as_bytes());
    }
    payload.extend([12, 45, 0, 0, 1, 0, 0, 253, 0, 0, 0, 0, 0]);
    packet(&payload)
}

/// The beginning of a result with so many columns.
pub(super) fn result(n_columns: u8) -> Vec<u8> {
    [packet(&[n_columns]), column().repeat(n_columns.into()), end(0)].concat()
}

/// A row of texts.
pub(super) fn row(values: &[&str]) -> Vec<u8> {
    let mut payload = vec![0, 0];
    for value in values {
        put_length_encoded_bytes(&mut payload, value.as_bytes());
    }
    packet(&payload)
}

/// One connection.
struct Session {
    stream: TcpStream,
    act: Act,
    number: usize,
    statements: BTreeMap<u32, String>,
}

impl Session {
    /// Serves the client until it is gone.
    async fn serve(&mut self) -> Option<()> {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/seeds");
        let recorded = fs::read(seeds.join("mysql_replies/rows")).unwrap();
        let (greeting, rest) = recorded.split_at(104);
        self.stream.write_all(greeting).await.ok()?;
        self.packet().await?;
        self.stream.write_all(rest.split_at(11).0).await.ok()?;
        loop {
            let payload = self.packet().await?;
            let (tag, rest) = payload.split_first()?;
            let run = if *tag == 0x17 { self.statement(rest)? } else { "" };
            if run == ATTACKED {
                self.act.on(&mut self.stream).await?;
                continue;
            }
            let answer = match tag {
                0x03 | 0x1f => ok(),
                0x16 => self.prepared(rest),
                0x17 => executed(run, self.number),
                0x19 => continue,
                _ => return None,
            };
            self.stream.write_all(&answer).await.ok()?;
        }
    }

    async fn packet(&mut self) -> Option<Vec<u8>> {
        let [a, b, c, _] = self.stream.read_u32_le().await.ok()?.to_le_bytes();
        let mut payload = vec![0; u32::from_le_bytes([a, b, c, 0]) as usize];
        self.stream.read_exact(&mut payload).await.ok()?;
        Some(payload)
    }

    /// The text of the statement that runs.
    fn statement(&self, rest: &[u8]) -> Option<&str> {
        let id = u32::from_le_bytes(*rest.first_chunk()?);
        self.statements.get(&id).map(String::as_str)
    }

    fn prepared(&mut self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text).into_owned();
        let n_values = u8::try_from(text.matches('?').count()).unwrap();
        let n_columns = u8::from(text.starts_with("select"));
        let id = u8::try_from(self.statements.len()).unwrap();
        self.statements.insert(id.into(), text);
        let mut answer = packet(&[0, id, 0, 0, 0, n_columns, 0, n_values, 0, 0, 0, 0]);
        for count in [n_values, n_columns].into_iter().filter(|count| *count > 0) {
            answer.extend(column().repeat(count.into()));
            answer.extend(end(0));
        }
        answer
    }
}

fn executed(text: &str, number: usize) -> Vec<u8> {
    let number = number.to_string();
    match text {
        NUMBER => [result(1), row(&[&number]), end(0)].concat(),
        _ if text.starts_with("select") => [result(1), row(&[text]), end(0)].concat(),
        _ => ok(),
    }
}

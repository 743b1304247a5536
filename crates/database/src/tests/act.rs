//! The act of a test's server in place of an answer.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// What the server does instead of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// It says this and goes on as if nothing was.
    GoOn(Vec<u8>),
    /// It says this and nothing else.
    Hold(Vec<u8>),
    /// It says this and closes the connection.
    Leave(Vec<u8>),
    /// It says this again and again.
    Repeat(Vec<u8>),
}

impl Act {
    /// Does it. `None` if nothing else is said.
    pub(crate) async fn on(&self, stream: &mut TcpStream) -> Option<()> {
        match self {
            Self::GoOn(bytes) => stream.write_all(bytes).await.ok(),
            Self::Hold(bytes) => {
                stream.write_all(bytes).await.ok()?;
                while stream.read_u8().await.is_ok() {}
                None
            }
            Self::Leave(bytes) => {
                stream.write_all(bytes).await.ok()?;
                None
            }
            Self::Repeat(bytes) => loop {
                stream.write_all(bytes).await.ok()?;
            },
        }
    }
}

//! A server on loopback that writes any bytes, correct HTTP or not, and counts its connections.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::service::listen;

/// Passes each connection to `answer`. Returns the origin.
pub async fn serve_raw<A, F>(answer: A) -> String
where
    A: Fn(Connection) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    Raw::start(answer).await.origin
}

/// The server; it stops with the runtime of the test.
#[derive(Clone, Debug)]
pub struct Raw {
    /// `http://` and the address.
    pub origin: String,
    n_connections: Arc<AtomicUsize>,
}

/// One connection.
#[derive(Debug)]
pub struct Connection(TcpStream);

impl Raw {
    /// Hands each connection to `answer`.
    pub async fn start<A, F>(answer: A) -> Self
    where
        A: Fn(Connection) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let (listener, origin) = listen().await;
        let n_connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&n_connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(answer(Connection(stream)));
            }
        });
        Self { origin, n_connections }
    }

    /// Answers each request of a connection with these bytes.
    pub async fn always(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |connection| connection.answer_each(bytes.clone())).await
    }

    /// Answers one request of a connection with these bytes and closes it.
    pub async fn once(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |connection| connection.answer_once(bytes.clone())).await
    }

    /// Answers one request of a connection with these bytes, and then keeps it open until the client is gone.
    pub async fn stuck(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |mut connection| {
            let bytes = bytes.clone();
            async move {
                connection.read_head().await;
                connection.write(&bytes).await;
                connection.hold().await;
            }
        })
        .await
    }

    /// Reads what clients send, and never answers.
    pub async fn silent() -> Self {
        Self::start(|mut connection| async move { connection.hold().await }).await
    }

    /// How many connections there were.
    pub fn n_connections(&self) -> usize {
        self.n_connections.load(Ordering::SeqCst)
    }
}

impl Connection {
    /// The head of the next request, or nothing when the client is gone.
    pub async fn read_head(&mut self) -> Option<String> {
        read_head(&mut self.0).await
    }

    /// Writes bytes as they are; whether the client took them.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).await.is_ok()
    }

    async fn answer_each(mut self, bytes: Vec<u8>) {
        while self.read_head().await.is_some() {
            self.write(&bytes).await;
        }
    }

    async fn answer_once(mut self, bytes: Vec<u8>) {
        self.read_head().await;
        self.write(&bytes).await;
    }

    /// Waits until the client is gone.
    pub async fn hold(&mut self) {
        while self.0.read_u8().await.is_ok() {}
    }
}

/// The head of the next request on a stream, or nothing when the client is gone.
pub async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

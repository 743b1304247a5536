//! Servers on loopback for the tests of this crate: one that speaks correct HTTP, and one that a test scripts byte by byte.

use axum::Router;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Serves the routes until the test ends. Returns the origin.
pub(crate) async fn serve(routes: Router) -> String {
    let (listener, origin) = listen().await;
    tokio::spawn(async move { axum::serve(listener, routes).await });
    origin
}

/// Passes each connection to `answer` until the test ends. Returns the origin.
pub(crate) async fn serve_raw<F, A>(answer: A) -> String
where
    F: Future<Output = ()> + Send + 'static,
    A: Fn(Connection) -> F + Send + 'static,
{
    let (listener, origin) = listen().await;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(Connection(stream)));
        }
    });
    origin
}

pub(crate) async fn closed_origin() -> String {
    listen().await.1
}

#[derive(Debug)]
pub(crate) struct Connection(TcpStream);

impl Connection {
    /// The head of the next request; `None` after the client has left.
    pub(crate) async fn read_head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.ok()?);
        }
        String::from_utf8(head).ok()
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.write_bytes(text.as_bytes()).await;
    }

    pub(crate) async fn write_bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.ok();
    }

    /// Waits until the client has left.
    pub(crate) async fn hold(&mut self) {
        while self.0.read_u8().await.is_ok() {}
    }
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    (listener, origin)
}

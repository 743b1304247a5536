//! A server on loopback for the tests of this crate. Its answers are the documented ones, written down by hand.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use tokio::net::TcpListener;

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

type Answering = Arc<dyn Fn(&Asked) -> (u16, String) + Send + Sync>;
type Log = Arc<Mutex<Vec<Asked>>>;

/// A server that answers what it is told to and remembers what it was asked.
#[derive(Clone)]
pub(crate) struct TestServer {
    pub(crate) origin: String,
    log: Log,
}

impl TestServer {
    /// Serves until the test ends; `answer` sees `METHOD path?query`, headers and body.
    pub(crate) async fn start(
        answer: impl Fn(&Asked) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let log = Log::default();
        let state: (Answering, Log) = (Arc::new(answer), Arc::clone(&log));
        let routes = Router::new().fallback(handle).with_state(state);
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { origin, log }
    }

    /// The questions asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }

    /// The number of times that a request line was asked for.
    pub(crate) fn count(&self, line: &str) -> usize {
        self.asked().iter().filter(|asked| asked.line == line).count()
    }
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Lets time pass. The clock runs again afterwards: one that stands makes every wait for a socket a timeout.
pub(crate) async fn later(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

async fn handle(
    State((answer, log)): State<(Answering, Log)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = String::from_utf8(body.to_vec()).unwrap();
    let asked = Asked { line: format!("{method} {uri}"), headers, body };
    log.lock().unwrap().push(asked.clone());
    let (status, body) = answer(&asked);
    (StatusCode::from_u16(status).unwrap(), body).into_response()
}

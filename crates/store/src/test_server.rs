//! A server on loopback for the tests of this crate. Its responses are the documented ones, written by hand.

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

#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

type Answering = Arc<dyn Fn(&ReceivedRequest) -> (u16, String) + Send + Sync>;
type Log = Arc<Mutex<Vec<ReceivedRequest>>>;

#[derive(Clone)]
pub(crate) struct TestServer {
    pub(crate) origin: String,
    log: Log,
}

impl TestServer {
    /// Serves until the test ends; `answer` receives `METHOD path?query`, headers and body.
    pub(crate) async fn start(
        answer: impl Fn(&ReceivedRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let log = Log::default();
        let state: (Answering, Log) = (Arc::new(answer), Arc::clone(&log));
        let routes = Router::new().fallback(handle).with_state(state);
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { origin, log }
    }

    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.asked().iter().filter(|asked| asked.line == line).count()
    }
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Advances the time. The clock runs again afterwards: with a paused clock every wait for a socket would time out.
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
    let asked = ReceivedRequest { line: format!("{method} {uri}"), headers, body };
    log.lock().unwrap().push(asked.clone());
    let (status, body) = answer(&asked);
    (StatusCode::from_u16(status).unwrap(), body).into_response()
}

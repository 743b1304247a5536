//! Services that speak correct HTTP. They run until the runtime of the test ends.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, StatusCode},
};
use tokio::{net::TcpListener, runtime};

use crate::ports::closed_port;

/// Serves the routes. Returns the origin.
pub async fn serve(routes: Router) -> String {
    let (listener, origin) = listen().await;
    tokio::spawn(async move { axum::serve(listener, routes).await });
    origin
}

/// An origin where nothing listens, as long as this process runs.
pub fn closed_origin() -> String {
    format!("http://127.0.0.1:{}", closed_port())
}

pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    (listener, origin)
}

/// A service that keeps what it received.
#[derive(Clone, Debug)]
pub struct Service {
    /// Scheme, host and port.
    pub origin: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method and target: `GET /pets?limit=1`.
    pub line: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as text.
    pub body: String,
}

impl Service {
    /// Starts one that answers each request with a status and JSON.
    pub async fn start(
        answer: impl Fn(&Received) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let received = Arc::<Mutex<Vec<_>>>::default();
        let (kept, answer) = (Arc::clone(&received), Arc::new(answer));
        let routes = Router::new().fallback(move |request: Request| {
            let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
            async move {
                let request = Received::read(request).await;
                kept.lock().unwrap().push(request.clone());
                let (status, body) = answer(&request);
                let status = StatusCode::from_u16(status).unwrap();
                (status, [("content-type", "application/json")], body)
            }
        });
        Self { origin: serve(routes).await, received }
    }

    /// Starts one that answers by these routes, and keeps nothing.
    pub async fn routes(routes: Router) -> Self {
        Self { origin: serve(routes).await, received: Arc::default() }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// All requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The last request.
    pub fn last(&self) -> Received {
        self.received.lock().unwrap().last().unwrap().clone()
    }

    /// How many requests had this line.
    pub fn count(&self, line: &str) -> usize {
        self.received.lock().unwrap().iter().filter(|request| request.line == line).count()
    }
}

impl Received {
    async fn read(request: Request) -> Self {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let line = format!("{} {}", parts.method, parts.uri);
        Self { line, headers: parts.headers, body: String::from_utf8_lossy(&body).into_owned() }
    }

    /// The value of a header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A service for tests without a runtime: it has one of its own, and ends when it is dropped.
#[derive(Debug)]
pub struct Blocking<S> {
    /// The service, or its origin.
    pub service: S,
    runtime: runtime::Runtime,
}

impl<S> Blocking<S> {
    /// Starts what `start` starts.
    pub fn start(start: impl Future<Output = S>) -> Self {
        let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        Self { service: runtime.block_on(start), runtime }
    }

    /// Ends it at once.
    pub fn stop(self) {
        self.runtime.shutdown_background();
    }
}

/// Advances the time. The clock runs again afterwards: with a paused clock every wait for a socket would time out.
pub async fn later(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

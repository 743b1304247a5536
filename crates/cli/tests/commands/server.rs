//! A real HTTP server on loopback that answers every request with what it saw, and remembers the raw text.

use crate::prelude::*;

/// The server; it stops when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    _runtime: tokio::runtime::Runtime,
}

impl Server {
    /// Starts on a free port.
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&requests);
        let app = Router::new()
            .fallback(move |request: Request| answer(Arc::clone(&remembered), request));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { address, requests, _runtime: runtime }
    }

    /// Starts one that answers as `app` does, on a free port.
    pub(crate) fn with(app: Router) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { address, requests: Arc::default(), _runtime: runtime }
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked so far: request line, headers, blank line, body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(remembered: Arc<Mutex<Vec<String>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let mut text = format!("{} {}\n", parts.method, parts.uri);
    for (name, value) in &parts.headers {
        text.push_str(&format!("{name}: {}\n", value.to_str().unwrap()));
    }
    text.push_str(&format!("\n{}", String::from_utf8_lossy(&body)));
    remembered.lock().unwrap().push(text);
    let seen = callgate_tool::json!({"method": parts.method.as_str(), "path": parts.uri.path()});
    Response::builder()
        .header("content-type", "application/json")
        .body(seen.to_string().into())
        .unwrap()
}

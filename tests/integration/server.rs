//! A real HTTP server on loopback. `/status/<code>` answers with that status, 299 never;
//! anything else is answered with what arrived.

use crate::prelude::*;

/// The server; it stops with the runtime of the test.
#[derive(Debug)]
pub(crate) struct Server {
    origin: String,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    counts: Mutex<BTreeMap<String, usize>>,
    abandoned: Mutex<BTreeMap<String, usize>>,
    last: Mutex<Option<Value>>,
    changed: Notify,
}

/// Counts a request as abandoned when its handler is dropped before the answer.
struct Waiting(Arc<Seen>, String);

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.0.abandoned.lock().unwrap().entry(self.1.clone()).or_default() += 1;
        self.0.changed.notify_one();
    }
}

impl Server {
    /// Starts on a free port.
    pub(crate) async fn start() -> Self {
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let app = Router::new().fallback(move |request| answer(Arc::clone(&shared), request));
        Self { origin: serve(app).await, seen }
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// How many requests came in.
    pub(crate) fn total(&self) -> usize {
        self.seen.counts.lock().unwrap().values().sum()
    }

    /// How often a path was asked for.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.seen.counts.lock().unwrap().get(path).copied().unwrap_or_default()
    }

    /// The last request that was answered with what arrived, as it arrived.
    pub(crate) fn last(&self) -> Value {
        self.seen.last.lock().unwrap().clone().unwrap()
    }

    /// Waits until a request of a path was abandoned by its caller.
    pub(crate) async fn is_abandoned(&self, path: &str) {
        while !self.seen.abandoned.lock().unwrap().contains_key(path) {
            self.seen.changed.notified().await;
        }
    }
}

async fn answer(seen: Arc<Seen>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    *seen.counts.lock().unwrap().entry(path.clone()).or_default() += 1;
    let json = Response::builder().header("content-type", "application/json");
    match path.strip_prefix("/status/").and_then(|code| code.parse::<u16>().ok()) {
        Some(204) => Response::builder().status(204).body(Body::empty()).unwrap(),
        Some(299) => {
            let _waiting = Waiting(seen, path);
            std::future::pending().await
        }
        Some(302) => Response::builder()
            .status(302)
            .header("location", "/redirected")
            .body(Body::empty())
            .unwrap(),
        Some(429) => json.status(429).header("retry-after", "7").body("{}".into()).unwrap(),
        Some(code) => json.status(code).body(json!({"code": code}).to_string().into()).unwrap(),
        None => {
            let body = to_bytes(body, 1 << 20).await.unwrap();
            let headers: BTreeMap<_, _> = parts
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
                .collect();
            let arrived = json!({
                "method": parts.method.as_str(),
                "target": parts.uri.to_string(),
                "headers": headers,
                "body": String::from_utf8(body.to_vec()).unwrap(),
            });
            let text = arrived.to_string();
            *seen.last.lock().unwrap() = Some(arrived);
            json.body(text.into()).unwrap()
        }
    }
}

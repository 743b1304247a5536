//! A real HTTP server on loopback that answers every request with what it saw, and remembers the raw text.

use crate::prelude::*;
use callgate_testkit::Received;

/// The server; it stops when it is dropped.
#[derive(Debug)]
pub(crate) struct Server(Blocking<Service>);

impl Server {
    /// Starts on a free port.
    pub(crate) fn start() -> Self {
        Self(Blocking::start(Service::start(|request| {
            let (method, target) = request.line.split_once(' ').unwrap();
            let path = target.split('?').next().unwrap();
            (200, json!({"method": method, "path": path}).to_string())
        })))
    }

    /// Starts one that answers as `app` does, on a free port.
    pub(crate) fn with(app: Router) -> Self {
        Self(Blocking::start(Service::routes(app)))
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        self.0.service.url(path)
    }

    /// What was asked so far: request line, headers, blank line, body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.0.service.received().iter().map(text).collect()
    }
}

fn text(request: &Received) -> String {
    let header =
        |(name, value): (_, &http::HeaderValue)| format!("{name}: {}\n", value.to_str().unwrap());
    let headers: String = request.headers.iter().map(header).collect();
    format!("{}\n{headers}\n{}", request.line, request.body)
}

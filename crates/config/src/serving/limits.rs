//! `limits` at the root: the bounds of connections and requests, each with a default that fits a sidecar.

use std::time::Duration;

use crate::{
    code::ConfigCode,
    keys::SERVING_LIMITS,
    reader::{Mapping, Reader, at},
};

/// The bounds of connections and requests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ServingLimits {
    /// The largest body of a request.
    pub body_bytes: usize,
    /// The time a body may take to arrive.
    pub body_time: Duration,
    /// The extent to which one HTTP/2 connection may send ahead of what is read.
    pub connection_window: usize,
    /// Connections at the same time, over all listeners.
    pub connections: usize,
    /// The time for which requests may go on when the sidecar is stopped.
    pub drain: Duration,
    /// The largest head of a request.
    pub head_bytes: usize,
    /// The time a head, or a TLS handshake, may take to arrive.
    pub head_time: Duration,
    /// Headers of a request.
    pub headers: usize,
    /// The time for which a connection may be without a request.
    pub idle_time: Duration,
    /// Requests of one principal at the same time; as many as there may be in all unless given.
    pub principal_requests: Option<usize>,
    /// Requests at the same time, over all connections.
    pub requests: usize,
    /// The extent to which one HTTP/2 request may send ahead of what is read.
    pub stream_window: usize,
    /// Requests at the same time of one HTTP/2 connection.
    pub streams: usize,
}

/// The limits that proxies at the edge have, and that a model's calls need: a body holds up to 256 of them.
impl Default for ServingLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            body_time: Duration::from_secs(30),
            connection_window: 1 << 20,
            connections: 10_000,
            drain: Duration::from_secs(30),
            head_bytes: 16 << 10,
            head_time: Duration::from_secs(10),
            headers: 100,
            idle_time: Duration::from_mins(1),
            principal_requests: None,
            requests: 1024,
            stream_window: 64 << 10,
            streams: 100,
        }
    }
}

/// Reads the bounds.
pub(super) fn read(reader: &mut Reader, root: Mapping<'_>) -> ServingLimits {
    let mut limits = ServingLimits::default();
    let Some(node) = root.object.get("limits") else { return limits };
    let pointer = at(root, "limits");
    let Some(mapping) = reader.mapping(node, &pointer, &SERVING_LIMITS) else { return limits };
    for (key, limit) in [
        ("body_bytes", &mut limits.body_bytes),
        ("connection_window", &mut limits.connection_window),
        ("head_bytes", &mut limits.head_bytes),
        ("stream_window", &mut limits.stream_window),
    ] {
        *limit = reader.bytes(mapping, key).unwrap_or(*limit);
    }
    for (key, limit) in [
        ("body_time", &mut limits.body_time),
        ("drain", &mut limits.drain),
        ("head_time", &mut limits.head_time),
        ("idle_time", &mut limits.idle_time),
    ] {
        *limit = reader.duration(mapping, key).unwrap_or(*limit);
    }
    for (key, limit, most) in [
        ("connections", &mut limits.connections, usize::MAX),
        ("headers", &mut limits.headers, 4096),
        ("requests", &mut limits.requests, usize::MAX),
        ("streams", &mut limits.streams, 65_536),
    ] {
        *limit = reader.count(mapping, key, most).unwrap_or(*limit);
    }
    limits.principal_requests = reader.count(mapping, "principal_requests", usize::MAX);
    least(reader, mapping, limits)
}

/// Sizes that the protocols cannot go below or beyond.
fn least(reader: &mut Reader, mapping: Mapping<'_>, limits: ServingLimits) -> ServingLimits {
    for (key, given, least, most) in [
        // The HTTP library reads in pieces of this size.
        ("head_bytes", limits.head_bytes, 8 << 10, 16 << 20),
        // RFC 9113 §6.9.2: the window that a connection begins with, and the largest there is.
        ("connection_window", limits.connection_window, (64 << 10) - 1, (1 << 31) - 1),
        ("stream_window", limits.stream_window, 1, (1 << 31) - 1),
    ] {
        if !(least..=most).contains(&given) {
            let message = format!("expected {least} to {most} bytes, got: {given}");
            let help = "leave it out for the default";
            reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
        }
    }
    limits
}

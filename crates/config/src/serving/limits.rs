//! The key `limits` at the root: the limits on connections and requests, each with a default that fits a sidecar.

use std::time::Duration;

use crate::{
    code::ConfigCode,
    keys::SERVING_LIMITS,
    reader::{Mapping, Reader, at},
};

/// The limits on connections and requests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ServingLimits {
    /// The largest body of a request.
    pub body_bytes: usize,
    /// The time in which a body must arrive.
    pub body_time: Duration,
    /// The bytes that one HTTP/2 connection may send before they are read.
    pub connection_window: usize,
    /// The number of simultaneous connections, over all listeners.
    pub connections: usize,
    /// The time that requests have to finish when the sidecar is stopped.
    pub drain: Duration,
    /// The largest head of a request.
    pub head_bytes: usize,
    /// The time in which a head, or a TLS handshake, must arrive.
    pub head_time: Duration,
    /// The number of headers of a request.
    pub headers: usize,
    /// The time that a connection may be idle.
    pub idle_time: Duration,
    /// The number of simultaneous requests of one principal; the default is the total limit.
    pub principal_requests: Option<usize>,
    /// The number of simultaneous requests, over all connections.
    pub requests: usize,
    /// The bytes that one HTTP/2 request may send before they are read.
    pub stream_window: usize,
    /// The number of simultaneous requests on one HTTP/2 connection.
    pub streams: usize,
}

/// The limits that edge proxies have, and that a model's calls need: a body contains up to 256 of them.
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

/// Reads the limits.
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

/// Reports sizes outside the range that the protocols allow.
fn least(reader: &mut Reader, mapping: Mapping<'_>, limits: ServingLimits) -> ServingLimits {
    for (key, given, least, most) in [
        // The HTTP library reads in pieces of this size.
        ("head_bytes", limits.head_bytes, 8 << 10, 16 << 20),
        // RFC 9113 §6.9.2: the initial window of a connection, and the largest possible one.
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

//! The key `limits` at the root: the limits on connections and requests, each with a default that fits a sidecar.

use std::time::Duration;

use callgate_policy::RateOutage;
use callgate_settings::{Bytes, Count, settings};

use crate::limits::SharedLimits;

settings! {
    /// The limits on connections and requests. The defaults are those of edge proxies; a model's calls need
    /// `body_bytes`: a body contains up to 256 of them.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    #[non_exhaustive]
    pub struct ServingLimits in "`limits` of the configuration" with SharedLimits {
        /// The largest body of a request.
        body_bytes: usize as Bytes = 1 << 20;
        /// The time in which a body must arrive.
        body_time: Duration = Duration::from_secs(30);
        // RFC 9113 §6.9.2: the initial window of a connection, and the largest possible one.
        /// The bytes that one HTTP/2 connection may send before they are read.
        connection_window: usize as Bytes<{ (64 << 10) - 1 }, { (1 << 31) - 1 }> = 1 << 20;
        /// The number of simultaneous connections, over all listeners.
        connections: usize as Count = 10_000;
        /// The time that requests have to finish when the sidecar is stopped.
        drain: Duration = Duration::from_secs(30);
        // The HTTP library reads in pieces of the least size.
        /// The largest head of a request.
        head_bytes: usize as Bytes<{ 8 << 10 }, { 16 << 20 }> = 16 << 10;
        /// The time in which a head, or a TLS handshake, must arrive.
        head_time: Duration = Duration::from_secs(10);
        /// The number of headers of a request.
        headers: usize as Count<4096> = 100;
        /// The time that a connection may be idle.
        idle_time: Duration = Duration::from_mins(1);
        /// The fate of calls with a rate while the Redis of `shared` is away: `local` lets each sidecar count by itself, `refuse`
        /// refuses them; `local` unless given.
        on_outage: Option<RateOutage> as RateOutage = None;
        /// The number of simultaneous requests of one principal; the default is the total limit.
        principal_requests: Option<usize> as Count = None;
        /// The number of simultaneous requests, over all connections.
        requests: usize as Count = 1024;
        /// `true` where the rates of principals and of toolsets are those of all sidecars on one Redis together.
        shared: Option<bool> as bool = None;
        /// The bytes that one HTTP/2 request may send before they are read.
        stream_window: usize as Bytes<1, { (1 << 31) - 1 }> = 64 << 10;
        /// The number of simultaneous requests on one HTTP/2 connection.
        streams: usize as Count<65_536> = 100;
    }
}

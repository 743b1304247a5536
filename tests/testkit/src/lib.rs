//! What tests of several crates share: services on a free port of this machine, and the head of a description. It uses no
//! crate of this repository, so tests inside `src` can use it too.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test ends at what it did not expect"
)]

mod raw;
mod service;

pub use raw::{Connection, Raw};
pub use service::{Blocking, Received, Service, closed_origin, response, serve};

/// A description with these members after its head: `paths` and more, in YAML.
pub fn describe(members: &str) -> String {
    format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\n{members}")
}

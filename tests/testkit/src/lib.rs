//! What tests of several crates share: services on a free port of this machine, and the head of a description. It uses no
//! crate of this repository, so tests inside `src` can use it too.

#![expect(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test ends at what it did not expect"
)]

mod breaking;
mod canary;
mod connectors;
mod corpus;
mod discovery_engine;
mod document;
mod effort;
mod folder;
mod mariadb_server;
mod ports;
mod postgres_server;
mod raw;
mod redis_server;
mod service;

pub use breaking::{BreakPoint, Breaking, Close, Plan};
pub use canary::{check_absent, disguises};
pub use connectors::{CONNECTION, CONNECTORS_TOKEN, Connectors, UserRules};
pub use corpus::{corpus, descriptions, listed_descriptions, say};
pub use discovery_engine::{DISCOVERY_TOKEN, DiscoveryEngine, SEARCHED};
pub use document::AllowedRequest;
pub use effort::{processor_time, rounds, shortest_time, some_of};
pub use folder::{temporary_file, temporary_folder, write_file};
pub use mariadb_server::{MariadbDatabase, MariadbServer};
pub use ports::free_port;
pub use postgres_server::{PostgresDatabase, PostgresServer};
pub use raw::{Connection, Raw, read_head, serve_raw};
pub use redis_server::{RedisProgram, RedisServer};
pub use service::{Blocking, Received, Service, closed_origin, later, serve};

/// A description with these members in YAML, after the head that they may lack; one in JSON as it stands.
pub fn describe(members: &str) -> String {
    let start = members.trim_start();
    let head = if start.starts_with("openapi:") || start.starts_with('{') {
        ""
    } else {
        "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"
    };
    format!("{head}{members}")
}

/// Checks each row of a table.
#[track_caller]
pub fn check_rows<'t, const N: usize>(table: &'t str, check: impl Fn([&'t str; N])) {
    rows(table).for_each(check);
}

/// The rows of a table: lines whose columns are parted by ` => `; the last column may be empty.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.trim().lines().map(|row| {
        let columns = row.trim().split(" =>").map(|text| text.strip_prefix(' ').unwrap_or(text));
        let columns: Vec<_> = columns.collect();
        columns.try_into().unwrap_or_else(|_| panic!("{N} columns: {row}"))
    })
}

/// The texts of a column, parted by ` | `: none in an empty column.
pub fn list(column: &str) -> Vec<&str> {
    if column.is_empty() { Vec::new() } else { column.split(" | ").collect() }
}

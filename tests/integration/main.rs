//! The tests across crates. Each module is one subject; what a single crate promises is tested inside that crate.

#![cfg(test)]

mod approvals;
mod argument_headers;
mod authority;
mod body_arguments;
mod built;
mod clients;
mod compatibility;
mod configuration;
mod configuration_schema;
mod connections;
mod credentials;
mod data_stores;
mod declarations;
mod edits;
mod egress;
mod errors;
mod execute;
mod exported;
mod failures;
mod fixed_headers;
mod foreign_servers;
mod futures;
mod google;
mod handles;
mod identity_provider;
mod log_of_service;
mod manual;
mod patterns;
mod prelude;
mod redirects;
mod references;
mod remedies;
mod renewal;
mod repeats;
mod retry;
mod search;
mod secret_stores;
mod security;
mod security_answers;
mod server;
mod session_credentials;
mod session_instructions;
mod store_connections;
mod streams;
mod target;
mod tls;
mod tokens;
mod tool_names;
mod toolset_words;

/// The repository's root.
fn root() -> std::path::PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/..").into()
}

//! Tokens, secrets and addresses from servers on loopback that answer as Google documents.

#![cfg(test)]

mod directory;
mod secrets;
mod server;
mod tokens;

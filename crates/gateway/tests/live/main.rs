//! Live reload with real files, real signals and real sockets: what changes is served, what breaks keeps the last good one,
//! and no call fails for it.

#![cfg(test)]

mod addresses;
mod files;
mod load;
mod prelude;
mod sidecar;

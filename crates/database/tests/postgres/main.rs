//! Calls of tools on a server of PostgreSQL, from the settings to the results. `tests/interop/databases` starts it; without one
//! these tests say so and end.

#![cfg(test)]

#[path = "../calls.rs"]
mod calls;
mod entities;
#[path = "../queries.rs"]
mod queries;
mod query;
mod reviews;
mod shop;
mod statements;

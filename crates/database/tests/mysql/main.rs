//! Calls of tools on a server of MariaDB, from the settings to the results. `tests/interop/mariadb` starts it; without one these
//! tests say so and end.

#![cfg(test)]

#[path = "../engines/calls.rs"]
mod calls;
mod entities;
mod injections;
mod kinds;
mod loads;
#[path = "../engines/many.rs"]
mod many;
#[path = "../engines/queries.rs"]
mod queries;
mod query;
mod reviews;
mod shop;
mod statements;

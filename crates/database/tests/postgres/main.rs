//! Calls of tools on a server of PostgreSQL, from the settings to the results. `tests/interop/databases` starts it; without one
//! these tests say so and end.

#![cfg(test)]

#[path = "../engines/calls.rs"]
mod calls;
mod entities;
mod injections;
mod loads;
#[path = "../engines/many.rs"]
mod many;
#[path = "../engines/odd.rs"]
mod odd;
mod odd_values;
#[path = "../engines/queries.rs"]
mod queries;
mod query;
mod reviews;
mod shop;
mod statements;
#[path = "../engines/texts.rs"]
mod texts;

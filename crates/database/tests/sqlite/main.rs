//! Calls of tools on a file of SQLite, from the settings to the results.

#![cfg(test)]

#[path = "../calls.rs"]
mod calls;
mod entities;
mod findings;
mod injections;
mod pages;
#[path = "../queries.rs"]
mod queries;
mod query;
mod reviews;
mod rows;
mod shop;
mod statements;

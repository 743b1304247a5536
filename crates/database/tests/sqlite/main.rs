//! Calls of tools on a file of SQLite, from the settings to the results.

#![cfg(test)]

mod entities;
mod findings;
mod injections;
mod pages;
mod reviews;
mod rows;
mod shop;
mod statements;

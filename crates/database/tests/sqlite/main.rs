//! Calls of tools on a file of SQLite, from the settings to the results.

#![cfg(test)]

mod aggregates;
#[path = "../engines/aggregates.rs"]
mod aggregates_of_engines;
mod audit;
#[path = "../engines/calls.rs"]
mod calls;
#[path = "../engines/conditions.rs"]
mod conditions;
mod entities;
mod findings;
#[path = "../engines/injected_texts.rs"]
mod injected_texts;
mod injections;
mod loads;
mod naming;
#[path = "../engines/odd.rs"]
mod odd;
mod odd_values;
#[path = "../engines/ordered_pages.rs"]
mod ordered_pages;
mod pages;
mod paging;
#[path = "../engines/queries.rs"]
mod queries;
mod query;
mod questions;
mod reads;
#[path = "../engines/reads.rs"]
mod reads_of_engines;
mod reviews;
mod rows;
mod shop;
mod statements;
mod written_values;
#[path = "../engines/written_values.rs"]
mod written_values_of_engines;

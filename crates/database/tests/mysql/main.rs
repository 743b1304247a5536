//! Calls of tools on a server of MariaDB, from the settings to the results. `tests/interop/mariadb` starts it; without one these
//! tests say so and end.

#![cfg(test)]

#[path = "../engines/aggregates.rs"]
mod aggregates;
#[path = "../engines/calls.rs"]
mod calls;
mod collations;
#[path = "../engines/conditions.rs"]
mod conditions;
#[path = "../engines/injected_texts.rs"]
mod injected_texts;
mod injections;
mod kinds;
mod loads;
#[path = "../engines/many.rs"]
mod many;
#[path = "../engines/operations.rs"]
mod operations;
#[path = "../engines/ordered_pages.rs"]
mod ordered_pages;
mod paging;
#[path = "../engines/queries.rs"]
mod queries;
mod query;
#[path = "../engines/reads.rs"]
mod reads;
#[path = "../engines/reviews.rs"]
mod reviews;
#[path = "../engines/servers.rs"]
mod servers;
#[path = "../engines/shop.rs"]
mod shop;
mod statements;
mod tables;
mod versioned;
#[path = "../engines/versions.rs"]
mod versions;
#[path = "../engines/written_values.rs"]
mod written_values;

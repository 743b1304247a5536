//! Calls of tools on a server of PostgreSQL, from the settings to the results. `tests/interop/databases` starts it; without one
//! these tests say so and end.

#![cfg(test)]

#[path = "../engines/aggregates.rs"]
mod aggregates;
#[path = "../engines/calls.rs"]
mod calls;
#[path = "../engines/conditions.rs"]
mod conditions;
mod failures;
#[path = "../engines/injected_texts.rs"]
mod injected_texts;
mod injections;
mod listed_query;
mod literals;
mod loads;
#[path = "../engines/many.rs"]
mod many;
#[path = "../engines/odd.rs"]
mod odd;
mod odd_values;
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
mod removals;
#[path = "../engines/reviews.rs"]
mod reviews;
#[path = "../engines/servers.rs"]
mod servers;
#[path = "../engines/shop.rs"]
mod shop;
mod shown_rows;
mod statements;
mod tables;
#[path = "../engines/texts.rs"]
mod texts;
#[path = "../engines/versions.rs"]
mod versions;
#[path = "../engines/written_values.rs"]
mod written_values;

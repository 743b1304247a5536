//! Projections of schemas for providers: what each of them says, that it says no less than the original, and that the provider
//! takes it.
#![cfg(test)]

mod corpus;
mod laws;
mod prelude;
mod reading;
mod references;
mod rows;
mod takes;

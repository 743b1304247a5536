//! Turns of agents against a provider that refuses what real providers refuse.
#![cfg(test)]

mod blocks;
mod budgets;
mod configured;
mod converted;
mod endings;
mod fake;
mod files;
mod hostile;
mod instructions;
mod loops;
mod no_good;
mod numbers;
mod pizza;
mod programs;
mod reports;
mod rights;
mod rounds;
mod rows;
mod search;
mod sendable;
mod shapes;
mod shop;
mod slow;
mod steps;
mod stored;
mod streams;
mod transcripts;

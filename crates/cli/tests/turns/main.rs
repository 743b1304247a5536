//! Turns at the real sidecar, `callgate serve` with its state in a file, against a strict model: events, callers that leave,
//! budgets, approvals of others, and processes that are killed.

#![cfg(test)]
#![cfg(all(unix, feature = "agents"))]

mod approvers;
mod budgets;
mod conversation;
mod drafts;
mod events;
mod gate;
mod http;
mod killed;
mod lengths;
mod model;
mod prelude;
mod records;
mod shop;
mod sidecar;

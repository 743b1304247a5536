//! The sidecar: callgate over HTTP, beside an agent runtime. One file for each concern; the executor runs the calls,
//! and `policy` has the middleware around them.

#![cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "code that only MCP needs is compiled and tested with it")
)]
#![expect(unused_qualifications, reason = "the derives of `utoipa` qualify the types of bodies")]

mod access;
mod admin;
mod admission;
#[cfg(feature = "agents")]
mod agents;
mod answer;
mod approvals;
mod at_start;
mod bodies;
mod caller;
mod calls;
#[cfg(feature = "agents")]
mod conversations;
mod description;
mod dialects;
mod drafts;
mod drain;
mod examination;
mod failure;
mod functions;
mod gateway;
mod health;
mod json_body;
mod listen;
mod listens;
mod live;
#[cfg(feature = "mcp")]
mod mcp;
mod observe;
mod pages;
mod path_name;
mod path_problem;
mod peer;
mod problem;
mod query;
mod recent_calls;
mod reloads;
mod report_cache;
mod results;
mod rights;
mod router;
mod routes;
mod search;
mod serve;
mod sessions;
mod sign_ins;
mod source;
mod stamps;
mod stored_sessions;
#[cfg(test)]
mod test_issuer;
mod time_limit;
mod tools;
#[cfg(feature = "agents")]
mod transcripts;
#[cfg(feature = "agents")]
mod turns;
mod waiting_calls;

#[doc(hidden)]
pub use examination::examine_issuers_collector;
pub use failure::Failure;
pub use gateway::Gateway;
pub use live::Live;
pub use observe::{Telemetry, WriteLine, start_log, start_plain_log};
pub use pages::{Answer, FormFile, PageRequest, PageResponse};
pub use problem::{Problem, ProblemKind};
pub use router::{router, router_with};
pub use routes::{RouteCalls, RouteRequest, Routes};
pub use serve::{ServeOptions, failure_record, serve};
pub use sessions::SessionInput;
pub use source::Source;
pub use tools::write_details;
#[cfg(feature = "agents")]
pub use turns::turns;

//! The sidecar: callgate over HTTP, beside an agent runtime. One file a concern; what a request asks for is run by the
//! executor, and what stands around calls is the business of `policy`.

mod access;
mod answer;
mod caller;
mod calls;
mod description;
mod drain;
mod failure;
mod front;
mod gateway;
mod json_body;
mod listen;
mod observe;
mod path_name;
mod peer;
mod problem;
mod query;
mod results;
mod router;
mod serve;
mod sessions;
mod source;
#[cfg(test)]
mod test_issuer;
mod tools;

pub use failure::Failure;
pub use gateway::Gateway;
pub use router::router;
pub use serve::{ServeOptions, serve};
pub use source::Source;
pub use tools::write_known;

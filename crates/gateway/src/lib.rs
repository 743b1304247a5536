//! The sidecar: callgate over HTTP, beside an agent runtime. One file a concern; what a request asks for is run by the
//! executor, and what stands around calls is the business of `policy`.

mod answer;
mod caller;
mod calls;
mod description;
mod gateway;
mod json_body;
mod listen;
mod observe;
mod path_name;
mod problem;
mod query;
mod results;
mod router;
mod serve;
mod sessions;
mod source;
mod tools;

pub use gateway::Gateway;
pub use router::router;
pub use serve::{Failure, ServeOptions, serve};
pub use source::Source;
pub use tools::write_known;

//! callgate's tools over the Model Context Protocol, in both of its eras: the handshake of revisions up to 2025-11-25, and
//! independent requests since 2026-07-28. A [`Host`] decides what is served, to whom and in which session. No other crate
//! depends on `rmcp`.

mod abilities;
mod approval;
mod batch;
mod calls;
mod client;
mod content;
mod declaration;
mod direct;
mod elicitation;
mod host;
mod http_service;
mod lines;
mod message;
mod method_errors;
mod progress;
mod read_result;
mod rounds;
mod server;
mod shortlist;
mod state;
mod stdio;

pub use client::{Attachment, Client, Question, Reply};
pub use host::{Caller, Host, SessionError, WaitingCall};
pub use http_service::McpService;
pub use stdio::serve_stdio;

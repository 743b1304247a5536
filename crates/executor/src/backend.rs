//! What runs a tool: one implementation a tool kind. Finding the tool is the catalog's business.

mod challenge;
mod echo;
mod exchange;
mod failure;
mod openapi;
mod reading;
mod redirect;
mod session_values;
mod values;

use std::fmt::Debug;

use async_trait::async_trait;
use callgate_tool::{Arguments, Journal, Outcome, Session, Tool};

pub(crate) use exchange::Connection;
pub(crate) use openapi::OpenApi;
pub use values::Values;

/// Runs the calls of one tool.
#[async_trait]
pub trait Backend: Debug + Send + Sync {
    /// How the tool is declared to a model; built when first asked for. None when that takes more than it may.
    fn declaration(&self) -> Option<&Tool>;

    /// What would be sent, built by the code that sends, without fetching a credential.
    fn prepare(&self, arguments: &Arguments, session: &Session, journal: &mut Journal) -> Outcome;

    /// Runs one call. Dropping the future stops it.
    async fn run(&self, arguments: &Arguments, session: &Session, journal: &mut Journal)
    -> Outcome;

    /// Runs one call up to its answer, whose values can then be taken as they come. An answer that is not many values
    /// one after the other is an ending. Unless a backend says otherwise every answer is.
    async fn open(
        &self,
        arguments: &Arguments,
        session: &Session,
        journal: &mut Journal,
    ) -> Opened {
        Opened::Ended(self.run(arguments, session, journal).await)
    }
}

/// A call that was run up to its answer.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "an answer has ended or it has not")]
pub enum Opened {
    /// It has ended.
    Ended(Outcome),
    /// Its values come one after the other.
    Values(Box<Values>),
}

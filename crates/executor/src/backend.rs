//! What runs a tool: one implementation a tool kind. Finding the tool is the catalog's business.

mod challenge;
mod echo;
mod failure;
mod openapi;

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;
use callgate_openapi::Operation;
use callgate_tool::{Arguments, Journal, Outcome, Session, Tool};

pub(crate) use openapi::{Connection, OpenApi};

/// Runs the calls of one tool.
#[async_trait]
pub trait Backend: Debug + Send + Sync {
    /// How the tool is declared to a model; built when first asked for.
    fn declaration(&self) -> &Tool;

    /// The operation behind the tool, where there is one.
    fn operation(&self) -> Option<&Arc<Operation>>;

    /// What would be sent, built by the code that sends, without fetching a credential.
    fn prepare(&self, arguments: &Arguments, session: &Session, journal: &mut Journal) -> Outcome;

    /// Runs one call. Dropping the future stops it.
    async fn run(&self, arguments: &Arguments, session: &Session, journal: &mut Journal)
    -> Outcome;
}

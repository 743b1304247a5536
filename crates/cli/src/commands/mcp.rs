//! `callgate mcp`: serves tools over MCP on standard input and output. Standard output belongs to the protocol; messages for
//! people go to standard error.

mod hosts;

use std::sync::Arc;

use async_trait::async_trait;
use callgate::{Executor, Session, config::Environment};
use callgate_config::{Kinds, McpConfig};
use callgate_mcp::{Caller, Host, SessionError, serve_stdio};
use callgate_tool::{Object, Value};
use http::request::Parts;

use super::call::{block_on, read_json_file};
use crate::{
    args::McpArguments,
    effects,
    exit::{Failure, Verdict},
    open::{description_options, loader_with_effects, open_for_calls},
    output,
    session::{self, ReadSession},
};

/// Serves the host that started the process, until it closes standard input.
pub(crate) fn run(arguments: &McpArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    if let Some(host) = arguments.print_config {
        output::print_result(&hosts::mcp_host_configuration(host, arguments)?);
        return Ok(Verdict::Fine);
    }
    let options = description_options(&arguments.source.description);
    let loader = loader_with_effects(kinds, effects::MCP);
    let built = open_for_calls(&arguments.source.file, &options, &loader, &Environment::new())?;
    let session = match &arguments.session {
        Some(file) => {
            block_on(session::read_envelope(file, read_json_file(file, session::HELP)?, &built))??
        }
        None => ReadSession::default(),
    };
    let host =
        Arc::new(Local { executor: built.executor.clone(), listing: built.mcp.clone(), session });
    let served = block_on(serve_stdio(host))?;
    served.map(|()| Verdict::Fine).map_err(|error| {
        let help = "help: the host that starts this command speaks MCP on its standard input";
        Failure(format!("error: {error}\n{help}"))
    })
}

struct Local {
    executor: Executor,
    listing: McpConfig,
    session: ReadSession,
}

#[async_trait]
impl Host for Local {
    fn executor(&self) -> Executor {
        self.executor.clone()
    }

    fn listing_settings(&self) -> McpConfig {
        self.listing.clone()
    }

    fn caller(&self, _: Option<&Parts>) -> Caller {
        Caller::anyone()
    }

    async fn session(
        &self,
        _: Option<&Parts>,
        _: &Caller,
        inline: Value,
    ) -> Result<Session, SessionError> {
        let session = match inline {
            Value::Null => self.session.session_with_overrides(Object::new()),
            Value::Object(inline) => self.session.session_with_overrides(inline),
            other => Err(format!("the session: expected an object, got: {}", other.kind())),
        };
        session.map_err(SessionError::Invalid)
    }
}

//! MCP on standard input and output: one client, which started the process.

use std::{io, sync::Arc};

use rmcp::ServiceExt;
use tokio::io::{stdin, stdout};

use crate::{host::Host, lines::Lines, server::Server};

/// Serves the client that started the process, until it closes standard input.
///
/// # Errors
/// The client said nothing that MCP knows, or standard input or output broke.
pub async fn serve_stdio(host: Arc<dyn Host>) -> io::Result<()> {
    let running =
        Server(host).serve(Lines::new(stdin(), stdout())).await.map_err(io::Error::other)?;
    running.waiting().await.map(drop).map_err(io::Error::other)
}

//! From the settings of a search to its tools. The service is not asked: it does not describe the fields of documents to those who
//! only search.

use std::sync::Arc;

use callgate_auth::Authenticator;
use callgate_executor::{Backend, SessionValues};
use callgate_transport::Transport;

use crate::{
    declaration,
    description::Requests,
    settings::{Target, VertexSettings},
    tool::{Shared, VertexTool},
};

/// The parts that a search gets from its surroundings.
#[derive(Debug)]
pub struct Surroundings {
    /// The transport of calls.
    pub transport: Arc<dyn Transport>,
    /// The operator's credential: a Google access token.
    pub authenticator: Arc<dyn Authenticator>,
    /// The values of a session that its calls see and show.
    pub session_values: SessionValues,
}

/// The tools of a search.
pub fn load_tools(settings: VertexSettings, around: &Surroundings) -> Vec<Arc<dyn Backend>> {
    let mut call = settings.call.clone();
    // Results are bounded by whole snippets, after they are read.
    call.shape.result_bytes = usize::MAX;
    let methods = |target: &Target| {
        let own = target.name.service_origin();
        let requests = Requests {
            toolset: &settings.toolset,
            server: settings.server.as_deref().unwrap_or(&own),
            transport: &around.transport,
            authenticator: &around.authenticator,
            call: &call,
            session_values: &around.session_values,
        };
        requests.methods(&target.name)
    };
    let methods = settings.targets.iter().map(methods).collect();
    let shared = Arc::new(Shared { settings, methods });
    let tools = shared.settings.tools.iter().map(|tool| -> Arc<dyn Backend> {
        let (declared, shared) =
            (declaration::tool_declaration(&shared.settings, tool), Arc::clone(&shared));
        Arc::new(VertexTool { tool: declared, action: tool.action, shared })
    });
    tools.collect()
}

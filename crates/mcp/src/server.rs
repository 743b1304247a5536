//! Handles the requests of a client: the list of tools, and calls. It answers every other request as unknown.

use std::sync::Arc;

use callgate_config::{McpConfig, McpMode, McpSchemas};
use callgate_executor::{Entry, Executor};
use futures_util::StreamExt;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        self, CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, Implementation,
        InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
};

use crate::{
    abilities::Abilities,
    calls::{self, Answer, Incoming},
    declaration::library_tool_declaration,
    elicitation::CallOrigin,
    host::Host,
    message::ExactCall,
    progress::wait_with_progress,
    read_result, shortlist,
};

#[derive(Clone)]
pub(crate) struct Server(pub(crate) Arc<dyn Host>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut server = Implementation::new("callgate", env!("CARGO_PKG_VERSION"));
        server.title = Some("callgate".to_owned());
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.0.can_tools_change()) {
            tools.list_changed = Some(true);
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = server;
        if self.0.listing_settings().mode == McpMode::Search {
            info.instructions = Some(SEARCHED.to_owned());
        }
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut info = self.negotiate_initialize(&request)?;
        let (listing, executor) = (self.0.listing_settings(), self.0.executor());
        if shortlist::is_shortlist_used(&listing, &executor, &self.0.caller(http_head(&context))) {
            info.instructions = Some(SEARCHED.to_owned());
        }
        // Revisions that begin with this message have no stream for notifications here.
        if let Some(tools) = &mut info.capabilities.tools {
            tools.list_changed = None;
        }
        Ok(info)
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let filter = SubscriptionFilter::builder().tools_list_changed();
        self.0.can_tools_change().then(|| filter.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(mut changes) = self.0.tool_changes() else {
            let message =
                "as many clients listen as may: list again when the time of a list is over";
            return Err(ErrorData::internal_error(message, None));
        };
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.next() => {
                    let Some(()) = change else { return Ok(()) };
                    // A client that has left gets no notification.
                    if context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = self.0.caller(http_head(&context));
        let executor = self.0.executor();
        let cursor = request.and_then(|request| request.cursor);
        let listing = self.0.listing_settings();
        let foreign_cursor =
            || ErrorData::invalid_params("the cursor is none of this list: list again", None);
        if shortlist::is_shortlist_used(&listing, &executor, &caller) {
            // The whole of it is one page.
            if cursor.is_some() {
                return Err(foreign_cursor());
            }
            let mut tools = shortlist::standing_declarations(&executor, &caller);
            let pinned = shortlist::pinned_entries(&listing, &executor, &caller);
            tools.extend(
                pinned.into_iter().filter_map(|entry| listed_tool(entry, &listing, &executor)),
            );
            tools.extend(read_result::read_result_declaration(&executor, &caller));
            return Ok(with_cache_lifetime(ListToolsResult::with_all_items(tools)));
        }
        let entries = executor.entries().filter(|entry| caller.can_list_toolset(entry.toolset()));
        let entries = entries.collect::<Vec<_>>();
        let start = match &cursor {
            None => 0,
            Some(last) => {
                let position = entries.iter().position(|entry| entry.name().as_str() == &**last);
                position.map(|position| position + 1).ok_or_else(foreign_cursor)?
            }
        };
        let page = entries.get(start..).unwrap_or_default();
        let (mut tools, mut n_shown, mut n_bytes) = (Vec::new(), 0, 0);
        for entry in page.iter().take(PAGE) {
            let tool = listed_tool(*entry, &listing, &executor);
            n_shown += 1;
            n_bytes += tool.as_ref().map_or(0, tool_json_size);
            tools.extend(tool);
            if n_bytes >= PAGE_BYTES {
                break;
            }
        }
        let shown = page.get(..n_shown).unwrap_or_default();
        let is_last = shown.len() == page.len();
        tools.extend(
            is_last.then(|| read_result::read_result_declaration(&executor, &caller)).flatten(),
        );
        let mut result = ListToolsResult::with_all_items(tools);
        if !is_last {
            let last = shown.last().map(|entry| entry.name().as_str().to_owned());
            result.next_cursor = last;
        }
        Ok(with_cache_lifetime(result))
    }

    fn get_tool(&self, name: &str) -> Option<model::Tool> {
        // The library also asks for it when arguments may be in headers. Those of functions appear only in whole schemas.
        let (listing, executor) = (self.0.listing_settings(), self.0.executor());
        let entry = executor.find(name)?;
        let headers = shortlist::argument_headers(&listing, &executor, entry);
        if headers.is_empty() && listing.schemas != McpSchemas::Whole {
            return None;
        }
        library_tool_declaration(entry.declaration()?, &listing, &headers)
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(exact) = exact_call(&context) else {
            return Err(ErrorData::internal_error("the call was not read as it was written", None));
        };
        let abilities = Abilities::from_context(&context);
        let origin = CallOrigin { exact: &exact, abilities, peer: Some(&context.peer) };
        let called = calls::handle_call(&*self.0, Incoming { head: http_head(&context), origin });
        // A client that cancels, or closes the response stream, also stops the call to the service.
        tokio::select! {
            () = context.ct.cancelled() => {
                Err(ErrorData::internal_error("the client gave the call up", None))
            }
            answer = wait_with_progress(&context, called) => call_response(answer?),
        }
    }
}

fn call_response(answer: Answer) -> Result<CallToolResponse, ErrorData> {
    let result = match answer {
        Answer::Asks(asks) => return Ok(asks.into()),
        Answer::Ended(result) => result,
    };
    let unwritten = |_| ErrorData::internal_error("the result cannot be written", None);
    Ok(CallToolResult::try_from(result).map_err(unwritten)?.into())
}

/// Adds to a list the time that clients may keep it.
fn with_cache_lifetime(mut result: ListToolsResult) -> ListToolsResult {
    result.ttl_ms = Some(FRESH_MS);
    result.cache_scope = Some(CacheScope::Private);
    result
}

/// A tool as it is listed. A tool without a declaration is left out, and the log says so to the operator.
fn listed_tool(entry: Entry<'_>, listing: &McpConfig, executor: &Executor) -> Option<model::Tool> {
    let headers = shortlist::argument_headers(listing, executor, entry);
    let tool =
        entry.declaration().and_then(|tool| library_tool_declaration(tool, listing, &headers));
    if tool.is_none() {
        let tool = entry.name().as_str();
        tracing::warn!(tool, "a tool is not listed over MCP: its declaration takes too much");
    }
    tool
}

fn tool_json_size(tool: &model::Tool) -> usize {
    serde_json::to_vec(tool).map_or(0, |text| text.len())
}

fn http_head(context: &RequestContext<RoleServer>) -> Option<&Parts> {
    context.extensions.get::<Parts>()
}

/// The call exactly as its text gave it; HTTP and standard input store it in different places.
fn exact_call(context: &RequestContext<RoleServer>) -> Option<Arc<ExactCall>> {
    let extensions = &context.extensions;
    let stored_call = extensions.get::<Arc<ExactCall>>();
    stored_call.or_else(|| http_head(context)?.extensions.get()).cloned()
}

const SEARCHED: &str = "More tools are served than are listed. Find them with `find_tools`, in the words of what is wanted, read with `describe_tools` what they take, and call them with `call_read_tool`, or with `call_write_tool` where they change something.";
/// The tools on one page. Some clients read only the first page.
const PAGE: usize = 1000;
/// The bytes of declarations after which a page ends.
const PAGE_BYTES: usize = 4 << 20;
/// The time that clients may keep a list, in milliseconds; a reload may change the list.
const FRESH_MS: u64 = 60_000;

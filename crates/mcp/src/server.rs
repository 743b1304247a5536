//! The requests of a client: which tools there are, and one call. Everything else a server may offer is answered as unknown.

use std::sync::Arc;

use callgate_config::McpSchemas;
use callgate_dialect::Dialect;
use callgate_executor::{Call, Entry, Executor, TraceContext};
use callgate_tool::{Session, Value, json};
use futures_util::StreamExt;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        self, CacheScope, CallToolRequestParams, CallToolResponse, Implementation,
        InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
};

use crate::{
    asking::{self, Ran},
    client::Attachment,
    declared::declared,
    host::{Caller, Host, SessionError},
    kept,
    message::Exact,
    progress::waited,
    shortlist::{self, Standing, Target},
    written::written,
};

/// A server of one host's tools.
#[derive(Clone)]
pub(crate) struct Server(pub(crate) Arc<dyn Host>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut server = Implementation::new("callgate", env!("CARGO_PKG_VERSION"));
        server.title = Some("callgate".to_owned());
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.0.may_change()) {
            tools.list_changed = Some(true);
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = server;
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut info = self.negotiate_initialize(&request)?;
        // The revisions that begin with this message have no stream to say it on, as they are served here.
        if let Some(tools) = &mut info.capabilities.tools {
            tools.list_changed = None;
        }
        Ok(info)
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let filter = SubscriptionFilter::builder().tools_list_changed();
        self.0.may_change().then(|| filter.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(mut changes) = self.0.changes() else {
            let message =
                "as many clients listen as may: list again when the time of a list is over";
            return Err(ErrorData::internal_error(message, None));
        };
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.next() => {
                    let Some(()) = change else { return Ok(()) };
                    // Whoever has gone is told nothing.
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
        let caller = self.0.caller(head(&context));
        let executor = self.0.executor();
        let cursor = request.and_then(|request| request.cursor);
        let listing = self.0.listing();
        if shortlist::is_short(&listing, &executor, &caller) {
            let mut tools = shortlist::declarations(&executor, &caller);
            let pinned = shortlist::pinned(&listing, &executor, &caller);
            tools.extend(pinned.into_iter().filter_map(|entry| listed(entry, listing.schemas)));
            tools.extend(kept::declaration(&executor, &caller));
            return Ok(fresh(ListToolsResult::with_all_items(tools)));
        }
        let entries = executor.entries().filter(|entry| caller.lists(entry.toolset()));
        let entries = entries.collect::<Vec<_>>();
        let start = match &cursor {
            None => 0,
            Some(last) => {
                let position = entries.iter().position(|entry| entry.name().as_str() == &**last);
                position.map(|position| position + 1).ok_or_else(|| {
                    ErrorData::invalid_params("the cursor is none of this list: list again", None)
                })?
            }
        };
        let page = entries.get(start..).unwrap_or_default();
        let shown = page.get(..page.len().min(PAGE)).unwrap_or_default();
        let mut tools: Vec<_> =
            shown.iter().filter_map(|entry| listed(*entry, listing.schemas)).collect();
        let is_last = shown.len() == page.len();
        tools.extend(is_last.then(|| kept::declaration(&executor, &caller)).flatten());
        let mut result = ListToolsResult::with_all_items(tools);
        if !is_last {
            let last = shown.last().map(|entry| entry.name().as_str().to_owned());
            result.next_cursor = last;
        }
        Ok(fresh(result))
    }

    fn get_tool(&self, name: &str) -> Option<model::Tool> {
        // Asked for where arguments may stand in headers, too, which nobody is told of but by whole schemas.
        let schemas = Some(self.0.listing().schemas).filter(|it| *it == McpSchemas::Whole)?;
        declared(self.0.executor().find(name)?.declaration()?, schemas)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Whoever cancels, or closes the stream of the answer, takes the call along to the service.
        tokio::select! {
            () = context.ct.cancelled() => {
                Err(ErrorData::internal_error("the client gave the call up", None))
            }
            answer = waited(&context, self.called(request, &context)) => answer,
        }
    }
}

impl Server {
    async fn called(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let head = head(context);
        let caller = self.0.caller(head);
        let executor = self.0.executor();
        let Some(exact) = exact(context) else {
            return Err(ErrorData::internal_error("the call was not read as it was written", None));
        };
        if request.name == kept::NAME && executor.find(kept::NAME).is_none() {
            let session = self.session(head, &caller, &exact).await?;
            let answer = kept::read((&executor, &caller), &session, exact.arguments.as_ref()).await;
            return answer.map(Into::into).ok_or_else(unwritten);
        }
        let is_short = || shortlist::is_short(&self.0.listing(), &executor, &caller);
        let Some(standing) = Standing::named(&request.name).filter(|_| is_short()) else {
            let tool = request.name.to_string();
            let target = Target { tool, arguments: exact.arguments.clone() };
            return self.answered((&executor, &caller), target, (context, &exact, &request)).await;
        };
        let arguments = exact.arguments.as_ref();
        let target = match standing.target(arguments) {
            None => {
                let schemas = self.0.listing().schemas;
                return told(standing.answer((&executor, &caller, schemas), arguments));
            }
            Some(Err(wrong)) => return told(Err(wrong)),
            Some(Ok(target)) => target,
        };
        let entry = seen_as(&executor, &caller, &target.tool);
        match entry.map(|entry| standing.refusal(entry)) {
            None => told(Err(format!(
                "unknown tool: `{}`; `find_tools` finds those there are",
                target.tool
            ))),
            Some(Some(refusal)) => told(Err(refusal)),
            Some(None) => {
                self.answered((&executor, &caller), target, (context, &exact, &request)).await
            }
        }
    }

    /// The answer to the call of a tool that is not one of the four.
    async fn answered(
        &self,
        (executor, caller): (&Executor, &Caller),
        Target { tool, arguments }: Target,
        (context, exact, request): (&RequestContext<RoleServer>, &Exact, &CallToolRequestParams),
    ) -> Result<CallToolResponse, ErrorData> {
        let head = head(context);
        let Some(entry) = seen_as(executor, caller, &tool) else {
            let message = format!("unknown tool: `{tool}`; `tools/list` lists those there are");
            return Err(ErrorData::invalid_params(message, None));
        };
        let mut asked = json!({"name": &*tool});
        if let (Some(arguments), Some(members)) = (arguments, asked.as_object_mut()) {
            members.insert("arguments", Value::Object(arguments));
        }
        let declared = |_: &str| entry.declaration();
        let read = Dialect::Mcp.read(asked, declared);
        let read = read.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let session = self.session(head, caller, exact).await?;
        let (mut results, mut attachments) = (Vec::new(), Vec::new());
        for asked in read.to_make() {
            let fresh = || self.made(Call::new(asked, &session), caller, trace(context));
            match asking::ran(executor, fresh, request, context).await? {
                Ran::Asks(asks) => return Ok(asks.into()),
                Ran::Ended(result, attached) => {
                    results.push(result);
                    attachments.extend(attached);
                }
            }
        }
        let mut blocks = Dialect::Mcp.write(&read, &results).into_iter().next().unwrap_or_default();
        if let Some(content) = blocks.get_mut("content").and_then(Value::as_array_mut) {
            content.extend(attachments.into_iter().map(Attachment::into_value));
        }
        let refused = read.calls().iter().find_map(|call| call.call.as_ref().err());
        let result = results.first().or_else(|| refused.map(|refused| &**refused));
        let written = written(result, &blocks);
        written.map(Into::into).ok_or_else(unwritten)
    }
}

impl Server {
    /// The session of a request.
    async fn session(
        &self,
        head: Option<&Parts>,
        caller: &Caller,
        exact: &Exact,
    ) -> Result<Session, ErrorData> {
        let session = self.0.session(head, caller, exact.session.clone()).await;
        session.map_err(|error| match error {
            SessionError::Invalid(message) => ErrorData::invalid_params(message, None),
            SessionError::Unavailable(message) => ErrorData::internal_error(message, None),
        })
    }

    /// A call with all that surrounds it.
    fn made<'a>(&self, call: Call<'a>, caller: &Caller, trace: Option<TraceContext>) -> Call<'a> {
        let mut call = self.0.prepared(call);
        if let Some(principal) = &caller.principal {
            call = call.with_principal(principal.clone());
        }
        match trace {
            Some(trace) => call.with_trace(trace),
            None => call,
        }
    }
}

fn unwritten() -> ErrorData {
    ErrorData::internal_error("the result cannot be written", None)
}

/// The result of a tool that stands for others.
fn told(answer: Result<Value, String>) -> Result<CallToolResponse, ErrorData> {
    shortlist::result(answer).map(Into::into).ok_or_else(unwritten)
}

/// A list with the time it may be kept.
fn fresh(mut result: ListToolsResult) -> ListToolsResult {
    result.ttl_ms = Some(FRESH_MS);
    result.cache_scope = Some(CacheScope::Private);
    result
}

/// A tool as it is listed. One without a declaration is not, which the operator is told.
fn listed(entry: Entry<'_>, schemas: McpSchemas) -> Option<model::Tool> {
    let tool = entry.declaration().and_then(|tool| declared(tool, schemas));
    if tool.is_none() {
        let tool = entry.name().as_str();
        tracing::warn!(tool, "a tool is not listed over MCP: its declaration takes too much");
    }
    tool
}

/// The head of the HTTP request, where it is one.
fn head(context: &RequestContext<RoleServer>) -> Option<&Parts> {
    context.extensions.get::<Parts>()
}

fn seen_as<'e>(executor: &'e Executor, caller: &Caller, name: &str) -> Option<Entry<'e>> {
    executor.find(name).filter(|entry| caller.sees(entry.toolset()))
}

/// The call as its text said it; the two ways in leave it in different places.
fn exact(context: &RequestContext<RoleServer>) -> Option<Arc<Exact>> {
    let extensions = &context.extensions;
    let known = extensions.get::<Arc<Exact>>();
    known.or_else(|| head(context)?.extensions.get()).cloned()
}

/// The caller's trace: `_meta.traceparent` and `tracestate` (MCP 2026-07-28, basic).
fn trace(context: &RequestContext<RoleServer>) -> Option<TraceContext> {
    let text = |name: &str| context.meta.0.get(name).and_then(serde_json::Value::as_str);
    let trace = TraceContext::parse(text("traceparent")?)?;
    Some(match text("tracestate") {
        Some(state) => trace.with_state(state),
        None => trace,
    })
}

/// Tools on one page. Clients that read the first page alone see that many.
const PAGE: usize = 1000;
/// The time a list may be kept, in milliseconds; a reload may change it.
const FRESH_MS: u64 = 60_000;

//! `/mcp` and `/mcp/{toolset}`: the tools over MCP, with the access, the sessions and the limits of all other paths.

use std::sync::Arc;

use async_trait::async_trait;
use axum::{
    body::{Body, Bytes},
    extract::{FromRequestParts, Request, State},
    response::IntoResponse,
};
use callgate_config::McpConfig;
use callgate_executor::{Call, Execution, Executor};
use callgate_mcp::{
    Caller as McpCaller, Host, McpService, SessionError, WaitingCall as McpWaitingCall,
};
use callgate_session::Store;
use callgate_tool::{Session, Value};
use futures_util::stream::BoxStream;
use http::{Response, request::Parts};

use crate::{
    access,
    answer::put_configuration_digest,
    caller::Caller,
    gateway::Gateway,
    json_body::{self, BodyLimit},
    listens::Listens,
    path_name::PathName,
    problem::{Problem, ProblemKind},
    rights::call_rights,
    sessions::SessionInput,
    waiting_calls::WaitingCall,
};

pub(crate) async fn serve(
    State(gateway): State<Gateway>,
    caller: Caller,
    request: Request,
) -> Result<Response<Body>, Problem> {
    answer_request(&gateway, &caller, None, request).await
}

pub(crate) async fn serve_toolset(
    State(gateway): State<Gateway>,
    caller: Caller,
    request: Request,
) -> Result<Response<Body>, Problem> {
    let (mut head, body) = request.into_parts();
    let PathName(toolset) = PathName::from_request_parts(&mut head, &gateway).await?;
    let built = gateway.current_build();
    let is_there = built.executor.entries().any(|entry| entry.toolset() == toolset);
    if let Some(scopes) = caller.lacks.get(&toolset).filter(|_| is_there) {
        return Err(lacking_scope_problem(access::challenge_parameters(&built, &head, scopes)));
    }
    if !is_there || !caller.may_list(&toolset) {
        let detail = format!("there is no toolset `{toolset}` for this caller");
        return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
    }
    answer_request(&gateway, &caller, Some(toolset), Request::from_parts(head, body)).await
}

async fn answer_request(
    gateway: &Gateway,
    caller: &Caller,
    toolset: Option<String>,
    request: Request,
) -> Result<Response<Body>, Problem> {
    let (mut head, body) = request.into_parts();
    let BodyLimit(most) = head.extensions.get().copied().unwrap_or_default();
    let bytes = json_body::collect_body(body, most).await?;
    let mcp_caller = McpCaller::anyone()
        .with_principal(caller.principal.clone())
        .with_rights(call_rights(gateway, &gateway.current_build(), caller))
        .with_listed_toolsets(caller.lists.clone())
        .within(toolset);
    head.extensions.insert(mcp_caller);
    // That of a call that waits for a person.
    head.extensions.insert(caller.clone());
    let service = McpService::new(Arc::new(SidecarHost(gateway.clone(), caller.clone())));
    // The library checks that this header agrees with the message.
    let listens = head.headers.get("mcp-method").is_some_and(|method| method == LISTEN);
    let before = gateway.current_build();
    let answer = service.answer(http::Request::from_parts(head, bytes)).await;
    let mut answer = answer.map(Body::new).into_response();
    // After a reload in between, either configuration may have made the call.
    if Arc::ptr_eq(&before, &gateway.current_build()) {
        put_configuration_digest(&mut answer, &before);
    }
    if listens {
        answer.extensions_mut().insert(Listens);
    }
    Ok(answer)
}

const LISTEN: &str = "subscriptions/listen";

/// A sidecar for one of its callers.
struct SidecarHost(Gateway, Caller);

#[async_trait]
impl Host for SidecarHost {
    fn executor(&self) -> Executor {
        self.0.current_build().executor.clone()
    }

    fn listing_settings(&self) -> McpConfig {
        self.0.current_build().mcp.clone()
    }

    fn caller(&self, head: Option<&Parts>) -> McpCaller {
        let identified_caller = head.and_then(|head| head.extensions.get::<McpCaller>()).cloned();
        // An unidentified caller sees nothing.
        identified_caller.unwrap_or_else(|| McpCaller::anyone().with_toolsets(Some(Arc::default())))
    }

    async fn session(
        &self,
        head: Option<&Parts>,
        _: &McpCaller,
        inline: Value,
    ) -> Result<Session, SessionError> {
        let Some(head) = head else {
            return Err(SessionError::Invalid("expected a request over HTTP".to_owned()));
        };
        let caller = head.extensions.get::<Caller>().cloned().unwrap_or_default();
        let built = self.0.current_build();
        let inline = SessionInput::read(Some(inline)).map_err(|problem| session_error(&problem))?;
        let (sessions, headers) = (self.0.sessions(), &head.headers);
        let session = inline.into_session(sessions, &built.sessions, &caller, headers).await;
        session.map_err(|problem| session_error(&problem))
    }

    fn denial_response(&self, head: &Parts, tool: &str) -> Option<Response<Bytes>> {
        let caller = head.extensions.get::<Caller>()?;
        let built = self.0.current_build();
        let toolset = built.executor.find(tool)?.toolset();
        let problem = match caller.lacks.get(toolset) {
            Some(scopes) => {
                lacking_scope_problem(access::challenge_parameters(&built, head, scopes))
            }
            None if caller.lists.is_some() => {
                let detail = "expected `Authorization: Bearer …`: this tool may only be listed";
                let problem = Problem::new(ProblemKind::UNAUTHENTICATED, detail);
                problem.with_challenge(access::challenge_parameters(&built, head, &[]))
            }
            None => return None,
        };
        Some(problem.into_http())
    }

    fn waiting_call_store(&self) -> Option<Arc<dyn Store>> {
        self.0.current_build().state_store().map(Arc::clone)
    }

    fn can_tools_change(&self) -> bool {
        true
    }

    fn tool_changes(&self) -> Option<BoxStream<'static, ()>> {
        self.0.replacement_stream(self.1.clone())
    }

    async fn keep_waiting_call(
        &self,
        head: Option<&Parts>,
        inline: Value,
        McpWaitingCall { call, key, pending, .. }: McpWaitingCall<'_>,
    ) -> Result<bool, SessionError> {
        let caller = head.and_then(|head| head.extensions.get::<Caller>());
        let (Some(caller), Ok(inline)) = (caller, SessionInput::read(Some(inline))) else {
            return Ok(false);
        };
        let waiting = WaitingCall {
            call: call.clone(),
            timeout: None,
            execution: Execution::Server,
            session: inline.members().clone(),
            key: key.map(|key| key.0.clone()),
            origin: None,
        };
        let kept =
            self.0.waiting_calls().keep_call(caller.principal.as_ref(), pending, waiting).await;
        kept.map(|()| true).map_err(|error| SessionError::Unavailable(error.to_string()))
    }

    fn call_with_host_values<'a>(&self, call: Call<'a>) -> Call<'a> {
        call.with_stop(self.0.drain().running_calls_stop())
    }
}

/// The refusal of a token that needs further scopes (MCP 2026-07-28, authorization: step-up).
fn lacking_scope_problem(challenge: Option<String>) -> Problem {
    let detail = "the token lacks a scope that this toolset needs";
    Problem::new(ProblemKind::FORBIDDEN, detail).with_challenge(challenge)
}

fn session_error(problem: &Problem) -> SessionError {
    let detail = problem.detail().to_owned();
    if problem.is_server_error() {
        SessionError::Unavailable(detail)
    } else {
        SessionError::Invalid(detail)
    }
}

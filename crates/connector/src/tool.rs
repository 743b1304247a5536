//! One tool of a connection as a backend: it translates a call for the service, lets the executor send it, and translates
//! the response. What the system behind the connection wrote about a failure is not shown.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call};
use callgate_kind::google_error_status;
use callgate_secret::Secret;
use callgate_tool::{
    Content, Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool, Value, json,
};

use crate::{
    arguments::{self, Bounds, Request},
    description::{Method, Methods},
    rows, user,
    work::Work,
};

#[derive(Debug)]
pub(crate) struct ConnectionTool {
    pub(crate) tool: Tool,
    pub(crate) toolset: String,
    pub(crate) work: Work,
    pub(crate) methods: Arc<Methods>,
    pub(crate) bounds: Bounds,
    pub(crate) result_bytes: usize,
    /// True if calls act in the name of an end user.
    pub(crate) has_user: bool,
}

impl ConnectionTool {
    fn call_request(&self, call: &Call<'_>) -> Result<Request, Box<Fault>> {
        let (arguments, session) = (call.arguments(), call.session());
        let mut request = arguments::call_request(&self.work, arguments, session, self.bounds)?;
        if self.has_user && request.method.has_settings_in_body() {
            let body = request.arguments.get_mut("body").and_then(Value::as_object_mut);
            if let Some(body) = body {
                body.insert("executionConfig", user::masked_settings());
            }
        }
        Ok(request)
    }

    /// The backend of a method; every method exists, so that the fault is of no call.
    fn method_backend(&self, method: Method) -> Result<&dyn Backend, Box<Fault>> {
        let backend = self.methods.get(&method).map(|backend| &**backend);
        backend.ok_or_else(|| wording::not_supported("the service has no such method"))
    }

    /// The backend of some method, which all share what is asked of it.
    fn any_method_backend(&self) -> Option<&dyn Backend> {
        self.methods.values().next().map(|backend| &**backend)
    }

    fn call_outcome(&self, outcome: Outcome, request: &Request) -> Outcome {
        match outcome {
            Outcome::Answered(mut answer) => {
                let response = match &answer.content {
                    Content::Json(json) => json.value().clone(),
                    Content::Empty => json!({}),
                    _ => {
                        return Outcome::Failed(wording::connector::result_not_an_object(
                            self.work.effect(),
                        ));
                    }
                };
                let (method, limit) = (request.method, request.limit);
                let result = rows::call_result_within_bytes(
                    &self.work,
                    method,
                    &response,
                    limit,
                    self.result_bytes,
                );
                let Some(result) = result else {
                    let effect = self.work.effect();
                    return Outcome::Failed(wording::answer::too_large_answer(
                        self.result_bytes,
                        effect,
                    ));
                };
                answer.content = Content::Json(result.into());
                answer.headers.clear();
                Outcome::Answered(answer)
            }
            Outcome::Failed(mut fault) => {
                fault.body = fault.body.as_ref().and_then(google_error_status);
                Outcome::Failed(fault)
            }
            other => other,
        }
    }
}

#[async_trait]
impl Backend for ConnectionTool {
    callgate_executor::of_tool!(tool, toolset);

    fn target(&self) -> Option<String> {
        self.any_method_backend()?.target()
    }

    fn secrets(&self, session: &Session) -> Vec<Secret> {
        self.any_method_backend().map(|method| method.secrets(session)).unwrap_or_default()
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        match (self.any_method_backend(), &self.work) {
            // A statement reads values of the session.
            (Some(method), Work::Action(_) | Work::Entity(_) | Work::Tool(_)) => {
                method.hash_session(session, hasher);
            }
            _ => {
                hasher.add_session(session);
            }
        }
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        let request = self.call_request(call)?;
        let sent = call.clone().with_arguments(request.arguments);
        self.method_backend(request.method)?.preview(&sent, journal).await
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let mut request = match self.call_request(call) {
            Ok(request) => request,
            Err(fault) => return Outcome::Failed(fault),
        };
        let method = match self.method_backend(request.method) {
            Ok(method) => method,
            Err(fault) => return Outcome::Failed(fault),
        };
        let sent = call.clone().with_arguments(std::mem::take(&mut request.arguments));
        let outcome = method.run(&sent, journal).await;
        self.call_outcome(outcome, &request)
    }
}

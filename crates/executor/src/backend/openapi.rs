//! Runs operations of a description: plans the request, lets the authenticator finish it, sends it, reads the response.

mod refusal;
mod whole_response;

use std::{
    sync::{Arc, Once},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_auth::Authenticator;
use callgate_call::{Plan, ReadContext, Shape, Splitter, Understood, WholePart, wording};
use callgate_secret::{Masker, Secret};
use callgate_session::Owner;
use callgate_tool::{
    Content, Effect, Event, Fault, FaultCode, FingerprintHasher, Journal, Outcome, PlannedRequest,
    Preview, Session, StoredResult, Tool, ToolName, Value,
};
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};

use super::{
    Backend, Opened,
    challenge::SentCredential,
    echo,
    exchange::{Connection, Exchange},
    failure, masked_request,
    raw::Raw,
    response_stream::Terms,
    unknown_session,
    values::Values,
};
use crate::{
    call::Call,
    execution::{Execution, Runner},
    toolset::Callable,
    watcher::CallWatcher,
};

/// One operation, its credentials, the connection its toolset shares, and a shape of results that is its own.
#[derive(Debug)]
pub(crate) struct OpenApi {
    plan: Plan,
    authenticator: Arc<dyn Authenticator>,
    connection: Arc<Connection>,
    shape: Option<Box<Shape>>,
    runner: Runner,
    /// Reports a missing declaration only once; tools are listed again and again.
    told: Once,
}

impl OpenApi {
    pub(crate) fn new(
        callable: Callable,
        connection: Arc<Connection>,
        shape: Option<Shape>,
        runner: Runner,
    ) -> Self {
        let Callable { operation, authenticator } = callable;
        let (plan, shape, told) = (Plan::new(operation), shape.map(Box::new), Once::new());
        Self { plan, authenticator, connection, shape, runner, told }
    }

    fn own_shape(&self) -> &Shape {
        self.shape.as_deref().unwrap_or(&self.connection.settings.shape)
    }

    fn response_shape(&self, call: &Call<'_>) -> std::borrow::Cow<'_, Shape> {
        call.response_choice().chosen_shape(self.own_shape())
    }

    fn refuse_unknown_session(&self, call: &Call<'_>) -> Result<(), Box<Fault>> {
        let operation = self.plan.operation();
        unknown_session::refuse_unknown_session(call.session(), operation, &*self.authenticator)
    }

    async fn masked_filled_arguments(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Value, Box<Fault>> {
        self.refuse_unknown_session(call)?;
        let filled = self.connection.filled_arguments(&self.plan, call, journal).await?;
        Ok(self.connection.session_values.masked_arguments(filled, call.session()))
    }

    fn with_masked_fault(&self, outcome: Outcome, call: &Call<'_>) -> Outcome {
        match outcome {
            Outcome::Failed(fault) => {
                Outcome::Failed(self.connection.session_values.masked_fault(fault, call.session()))
            }
            other => other,
        }
    }

    async fn masked_dry_run_request(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<PlannedRequest, Box<Fault>> {
        self.refuse_unknown_session(call)?;
        let mut request = self.connection.planned_request(&self.plan, call, journal).await?;
        if let Some(refusal) = self.refusal_event_of_planned_request(&mut request) {
            journal.note(refusal);
        }
        let shown = masked_request::masked_plan(request, &*self.authenticator, call.session())?;
        if let Some(obstacle) = self.authenticator.obstacle() {
            journal.note(Event::Unauthorized { why: obstacle.to_string() });
        }
        Ok(shown)
    }

    /// The note that a planned request would not be sent, as far as its URL shows that.
    fn refusal_event_of_planned_request(&self, request: &mut Request<Bytes>) -> Option<Event> {
        let server = &self.plan.operation().server;
        request.extensions_mut().insert(server.named_by);
        let error = self.connection.transport.check(request).err()?;
        failure::dry_run_refusal_event(&error, &server.url)
    }

    fn new_exchange<'a>(&'a self, call: &'a Call<'a>) -> Exchange<'a> {
        Exchange::new(&self.plan, &*self.authenticator, &self.connection, call)
    }

    async fn outcome_of_whole_response(
        &self,
        response: Response<Bytes>,
        exchange: Exchange<'_>,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        let sent = exchange.sent;
        let masker = Masker::new(exchange.secrets);
        let response = echo::without_secrets_in_headers(response, &masker);
        let watched = call.extensions().get::<CallWatcher>();
        if let Some(recorder) = watched.and_then(|CallWatcher(watcher)| watcher.recorder()) {
            recorder.record_answer(self.recorded_response(&response, &masker));
        }
        let outcome = self.outcome_with_kept_response(&response, &masker, call, journal).await;
        let is_refused =
            matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_refused
            && sent != SentCredential::Nothing
            && let Some(credential) = self.authenticator.credential_reference_description()
        {
            journal.note(Event::CredentialRefused { credential });
        }
        let outcome = self.explained_outcome(outcome, &response, &masker, sent);
        if let Outcome::Failed(fault) = &outcome
            && fault.code == FaultCode::SignInRequired
            && let Some(parameter) = self.authenticator.session_parameter()
        {
            journal.note(Event::SignInRequired { parameter });
        }
        Ok(outcome)
    }

    async fn open_response(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Opened, Box<Fault>> {
        self.refuse_unknown_session(call)?;
        let mut exchange = self.new_exchange(call);
        let mut answer = exchange.send_with_renewal(journal).await;
        if exchange.may_repeat(&answer) {
            answer = Box::pin(exchange.repeat_attempts(answer, journal)).await;
        }
        let answer = answer?;
        let (shape, is_success) = (self.response_shape(call), answer.status().is_success());
        if is_success && call.response_choice().is_raw {
            let (head, body) = answer.into_parts();
            let masker = Masker::new(exchange.secrets);
            let arguments = call.arguments();
            let reading = ReadContext { shape: &shape, masker: &masker, arguments, journal };
            let answer = self.plan.answer_head(&head, &reading);
            let raw = Raw::new(body, self.stream_terms(masker, call));
            return Ok(Opened::Pieces(raw.into_pieces(answer, &head.headers)));
        }
        let splitter = Splitter::from_headers(answer.headers()).filter(|_| is_success);
        let Some(splitter) = splitter else {
            let response = exchange.read_response_with_repeats(answer, journal).await?;
            return Ok(Opened::Ended(
                self.outcome_of_whole_response(response, exchange, call, journal).await?,
            ));
        };
        let (head, body) = answer.into_parts();
        let masker = Masker::new(exchange.secrets);
        let arguments = call.arguments();
        let reading = ReadContext { shape: &shape, masker: &masker, arguments, journal };
        let head = self.plan.answer_head(&head, &reading);
        let values = Values::new(body, splitter, self.stream_terms(masker, call));
        Ok(Opened::Pieces(values.into_pieces(head)))
    }

    /// The terms on which the body of a response is handed on as it arrives.
    fn stream_terms(&self, masker: Masker<'static>, call: &Call<'_>) -> Terms {
        let (mut limits, effect) = (self.connection.settings.limits, self.retry_effect());
        limits.timeout = call.duration_within(limits.timeout);
        Terms { masker, limits, effect, deadline: call.deadline() }
    }

    async fn send_and_read_outcome(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        self.refuse_unknown_session(call)?;
        let mut exchange = self.new_exchange(call);
        let mut answer = exchange.send_with_renewal(journal).await;
        // Boxed because few attempts fail; the others need no room for it.
        if exchange.may_repeat(&answer) {
            answer = Box::pin(exchange.repeat_attempts(answer, journal)).await;
        }
        let response = exchange.read_response_with_repeats(answer?, journal).await?;
        self.outcome_of_whole_response(response, exchange, call, journal).await
    }

    /// Makes an outcome of a response. The whole response is kept if the outcome does not show all of it.
    async fn outcome_with_kept_response(
        &self,
        response: &Response<Bytes>,
        masker: &Masker<'_>,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Outcome {
        let shape = self.response_shape(call);
        let reading = ReadContext { shape: &shape, masker, arguments: call.arguments(), journal };
        let understood = self.plan.understood_response(response, reading);
        let Understood { mut outcome, held_secret, whole_parts } = understood;
        let Outcome::Answered(answer) = &mut outcome else { return outcome };
        self.plan.remove_given_arguments(&mut answer.next, call.arguments());
        let Connection { results, toolset, .. } = &*self.connection;
        let (owner, tool) = (Owner::new(call.principal(), call.session()), self.name().as_str());
        let made_here = |result: StoredResult| result.with_toolset(&**toolset).with_tool(tool);
        for WholePart { index, result } in whole_parts {
            let handle = results.keep_result(made_here(result), owner, journal).await;
            if let Content::Parts(parts) = &mut answer.content
                && let Some(part) = parts.get_mut(index)
            {
                part.handle = handle;
            }
        }
        let whole = masked_request::has_more_than_shown(answer)
            .then(|| self.masked_whole_result(response, masker, held_secret));
        if let Some(result) = whole.flatten() {
            answer.handle = results.keep_result(made_here(result), owner, journal).await;
        }
        outcome
    }
}

#[async_trait]
impl Backend for OpenApi {
    fn name(&self) -> &ToolName {
        &self.plan.operation().tool_name
    }

    fn toolset(&self) -> &str {
        &self.connection.toolset
    }

    fn declaration(&self) -> Option<&Tool> {
        let operation = self.plan.operation();
        let declared = operation.declaration();
        if let Err(refusal) = declared {
            self.told.call_once(|| {
                tracing::warn!(tool = %operation.tool_name, why = %refusal.message, "a tool is not declared");
            });
        }
        declared.ok()
    }

    fn effect(&self) -> Effect {
        self.plan.operation().effect
    }

    fn retry_effect(&self) -> Effect {
        self.plan.operation().retry_effect()
    }

    fn target(&self) -> Option<String> {
        let operation = self.plan.operation();
        let (host, port) = (operation.server.url.host_str()?, operation.server.url.port());
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        Some(format!("{} {host}{port}", operation.method.as_str()))
    }

    fn secrets(&self, session: &Session) -> Vec<Secret> {
        self.connection.session_values.secrets(session)
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.connection.session_values.hash_session_values(session, self.plan.operation(), hasher);
        self.authenticator.add_credential_owner(session, hasher);
    }

    fn secret_arguments(&self) -> &[String] {
        &self.connection.secret_arguments
    }

    fn execution(&self) -> Execution {
        self.runner.execution
    }

    fn client_time_limit(&self) -> Duration {
        self.runner.client_time
    }

    async fn client_request(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Value, Box<Fault>> {
        let filled = self.masked_filled_arguments(call, journal).await;
        filled.map_err(|fault| self.connection.session_values.masked_fault(fault, call.session()))
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        let (session_values, session) = (&self.connection.session_values, call.session());
        let request = self.masked_dry_run_request(call, journal).await;
        let request = request.map_err(|fault| session_values.masked_fault(fault, session))?;
        Ok(Preview::Request(session_values.masked_request(request, session)))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let ran = self.send_and_read_outcome(call, journal).await;
        self.with_masked_fault(ran.unwrap_or_else(Outcome::Failed), call)
    }

    async fn open(&self, call: &Call<'_>, journal: &mut Journal) -> Opened {
        let opened = self.open_response(call, journal).await;
        match opened.unwrap_or_else(|fault| Opened::Ended(Outcome::Failed(fault))) {
            Opened::Ended(outcome) => Opened::Ended(self.with_masked_fault(outcome, call)),
            Opened::Pieces(pieces) => Opened::Pieces(pieces),
        }
    }

    async fn outcome_from_answer(
        &self,
        call: &Call<'_>,
        answer: Value,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        let body = Bytes::from(answer.to_string());
        let bound = self.connection.settings.limits.response_bytes;
        if body.len() > bound {
            return Ok(Outcome::Failed(wording::answer::too_large_answer(
                bound,
                self.retry_effect(),
            )));
        }
        let mut response = Response::new(body);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let secrets = self.connection.session_values.secrets(call.session());
        let outcome =
            self.outcome_with_kept_response(&response, &Masker::new(&secrets), call, journal).await;
        Ok(match outcome {
            // The client gives the result of the call, not a status.
            Outcome::Answered(mut answer) => {
                answer.status = None;
                Outcome::Answered(answer)
            }
            other => self.with_masked_fault(other, call),
        })
    }
}

//! Sends the requests of one call: with its credentials, again if the service refuses a token that can be renewed, and
//! along redirects that the toolset allows. Other modules read the response's body.

use std::{collections::BTreeMap, mem, pin::pin, sync::Arc};

use bytes::Bytes;
use callgate_auth::{Authenticator, Authorization, CredentialRefusal};
use callgate_call::{Plan, StoredResults, wording};
use callgate_secret::{Masker, Secret};
use callgate_session::Owner;
use callgate_tool::{
    Arguments, Event, Fault, FaultCode, Handle, Journal, Next, PlannedRequest, Reached,
    StoredResult, Value,
};
use callgate_transport::{
    AttemptEnd, CredentialValues, Error, ErrorKind, Limits, Repeat, RequestKind, ResponseBody,
    SentAgain, Transport, render_request, repetition_after,
};
use http::{Request, Response};
use tokio::time::Instant;
use tracing::Instrument;

use super::{
    attempts::{Attempts, request_kind},
    challenge::{self, SentCredential},
    failure,
    in_time::run_within_deadline,
    masked_request, redirect,
    request_span::{note_status, request_span},
};
use crate::{
    call::Call,
    results::Results,
    retry::RetryBudget,
    stop::Stop,
    toolset::{CallSettings, SessionValues},
    trace::CurrentTrace,
    watcher::CallWatcher,
};

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) toolset: String,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) settings: CallSettings,
    pub(crate) session_values: SessionValues,
    pub(crate) secret_arguments: Vec<String>,
    pub(crate) results: Arc<Results>,
    pub(crate) retry_budget: RetryBudget,
}

impl Connection {
    pub(super) async fn planned_request(
        &self,
        plan: &Plan,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Request<Bytes>, Box<Fault>> {
        let kept = self.load_stored_results(call).await?;
        let find = |handle: &Handle| kept.get(handle).cloned();
        let inputs =
            self.session_values.session_without_withheld(call.session(), plan.operation(), journal);
        let kept = StoredResults::new(&find);
        let mut request =
            plan.request_with_stored_results(call.arguments(), &inputs, kept, journal)?;
        let n_bytes = request.body().len();
        if let Some(most) = self.settings.request_bytes.filter(|most| n_bytes > *most) {
            return Err(body_too_large_fault(n_bytes, most));
        }
        if let Some(trace) = call.trace() {
            trace.put_headers_if_absent(request.headers_mut());
            // Baggage may hold private facts, and the service may belong to anyone.
            if self.settings.baggage {
                trace.put_baggage_if_absent(request.headers_mut());
            }
        }
        Ok(request)
    }

    /// The arguments of a call as the request would hold them.
    pub(super) async fn filled_arguments(
        &self,
        plan: &Plan,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Arguments, Box<Fault>> {
        let kept = self.load_stored_results(call).await?;
        let find = |handle: &Handle| kept.get(handle).cloned();
        let inputs =
            self.session_values.session_without_withheld(call.session(), plan.operation(), journal);
        plan.filled_arguments(call.arguments(), &inputs, StoredResults::new(&find), journal)
    }

    async fn load_stored_results(
        &self,
        call: &Call<'_>,
    ) -> Result<BTreeMap<Handle, StoredResult>, Box<Fault>> {
        let mut handles = Vec::new();
        call.arguments().values().for_each(|value| collect_handles(value, &mut handles));
        let owner = Owner::new(call.principal(), call.session());
        let mut kept = BTreeMap::new();
        for handle in handles {
            let result = self.results.get(&handle, owner, call.rights()).await;
            let result = result.map_err(|error| {
                tracing::debug!(%error, "a result cannot be looked up");
                wording::around::results_unavailable(error.retry_after().unwrap_or_default())
            })?;
            kept.extend(result.map(|result| (handle, result)));
        }
        Ok(kept)
    }
}

fn body_too_large_fault(n_bytes: usize, most: usize) -> Box<Fault> {
    let message = format!(
        "the body of the request has {n_bytes} bytes, and {most} is the bound, so nothing was sent; send less"
    );
    Box::new(Fault::new(FaultCode::InvalidArguments, message, Next::CorrectArguments))
}

fn collect_handles(value: &Value, handles: &mut Vec<Handle>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_handles(item, handles)),
        Value::Object(members) => {
            members.values().for_each(|member| collect_handles(member, handles));
        }
        Value::String(text) if handles.len() < MAX_HANDLES => {
            handles.extend(Handle::new(text).filter(|handle| !handles.contains(handle)));
        }
        _ => {}
    }
}

#[derive(Debug)]
pub(super) struct Exchange<'a> {
    pub(super) plan: &'a Plan,
    authenticator: &'a dyn Authenticator,
    pub(super) connection: &'a Connection,
    pub(super) call: &'a Call<'a>,
    kind: RequestKind,
    pub(super) deadline: Instant,
    pub(super) attempts: Option<Box<Attempts>>,
    /// The secrets that were sent, which no output may show.
    pub(super) secrets: Vec<Secret>,
    pub(super) sent: SentCredential,
}

type FaultOf = fn(&callgate_auth::Error) -> Box<Fault>;

impl<'a> Exchange<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        authenticator: &'a dyn Authenticator,
        connection: &'a Connection,
        call: &'a Call<'a>,
    ) -> Self {
        let deadline = call.deadline_within(connection.settings.limits.timeout);
        let secrets = connection.session_values.secrets(call.session());
        let sent = SentCredential::Nothing;
        let kind = request_kind(plan, call);
        let attempts = Attempts::new(&connection.settings.retry, kind, deadline);
        if attempts.is_some() {
            connection.retry_budget.count_call();
        }
        Self { plan, authenticator, connection, call, kind, deadline, attempts, secrets, sent }
    }

    /// The limits of the call: its time is the shorter of the caller's and the toolset's.
    pub(super) fn limits(&self) -> Limits {
        let timeout = self.deadline.saturating_duration_since(self.call.start_time());
        Limits { timeout, ..self.connection.settings.limits }
    }

    /// Sends the call once. If the service refuses a token that can be renewed, sends it again: a refused request was not
    /// executed. `again` repeats attempts that fail otherwise.
    pub(super) async fn send_with_renewal(
        &mut self,
        journal: &mut Journal,
    ) -> Result<Response<ResponseBody>, Box<Fault>> {
        let mut unseen = Journal::default();
        let is_further = self.attempts.as_ref().is_some_and(|attempts| attempts.n_made > 0);
        // The journal already has the decisions of a request that is made again.
        let noted = if is_further { &mut unseen } else { &mut *journal };
        let mut request = self.connection.planned_request(self.plan, self.call, noted).await?;
        if let Some(attempts) = &mut self.attempts {
            self.deadline = attempts.begin_attempt(&self.connection.settings.retry);
        }
        self.attach_trust_and_secrets(&mut request);
        let checked = self.connection.transport.check(&request);
        checked.map_err(|error| self.sending_fault(&error, journal))?;
        let (answer, authorization) =
            self.send_and_follow(&mut request, failure::credential_fault, journal).await?;
        let may_renew = |sent| sent != SentCredential::Fresh && Instant::now() < self.deadline;
        let refusal = challenge::credential_refusal(&answer).filter(|_| may_renew(self.sent));
        if !self.renew_credential(refusal, &authorization).await {
            return Ok(answer);
        }
        if repetition_after(AttemptEnd::CredentialRefused, self.kind) == Repeat::Never {
            self.sent = SentCredential::Once;
            journal.note(Event::NotRetried { why: "a person approved one request of it" });
            return Ok(answer);
        }
        // Boxed because few calls come here; the others need no room for it.
        Box::pin(self.resend_with_fresh_credential(journal)).await
    }

    async fn resend_with_fresh_credential(
        &mut self,
        journal: &mut Journal,
    ) -> Result<Response<ResponseBody>, Box<Fault>> {
        journal.note(Event::CredentialRenewed);
        self.sent = SentCredential::Fresh;
        // Built again rather than kept, so that calls without a refusal do not pay for it. The journal already has its
        // decisions.
        let noted = &mut Journal::default();
        let mut request = self.connection.planned_request(self.plan, self.call, noted).await?;
        self.attach_trust_and_secrets(&mut request);
        let (answer, _) =
            self.send_and_follow(&mut request, failure::renewal_fault, journal).await?;
        Ok(answer)
    }

    pub(super) fn sending_fault(&mut self, error: &Error, journal: &mut Journal) -> Box<Fault> {
        if let Some(attempts) = &mut self.attempts {
            attempts.note_failure(error);
        }
        if error.is_after_repetition() {
            journal.note(Event::SentAgain);
        }
        if let (ErrorKind::NothingRecorded, Some(detail)) = (error.kind(), error.detail()) {
            let detail = Masker::new(&self.secrets).mask_text(detail).into_owned();
            journal.note(Event::NothingRecorded { detail });
        }
        let server = &self.plan.operation().server.url;
        if let Some(refusal) = failure::destination_refused_event(error, server) {
            journal.note(refusal);
        } else if error.kind() != ErrorKind::NothingRecorded {
            let mut why = failure::no_response_reason(error, server);
            Masker::new(&self.secrets).mask_in(&mut why);
            let server = failure::server_origin(server);
            tracing::info!(server, why, "no answer");
            journal.note(Event::Unanswered { server, why });
        }
        failure::exchange_fault(error, &self.limits(), self.plan.operation().retry_effect())
    }

    /// Marks on a request who named its server, which decides how the transport trusts it, whether it may go again, and the
    /// session values that no text about the request may show.
    fn attach_trust_and_secrets(&self, request: &mut Request<Bytes>) {
        request.extensions_mut().insert(self.plan.operation().server.named_by);
        request.extensions_mut().insert(self.kind);
        if !self.secrets.is_empty() {
            request.extensions_mut().insert(CredentialValues(self.secrets.clone().into()));
        }
    }

    /// Sends the request and follows its redirects. Moves the request out of the exchange, because copying it for each
    /// future costs more than all other work of a call here.
    async fn send_and_follow(
        &mut self,
        request: &mut Request<Bytes>,
        told: FaultOf,
        journal: &mut Journal,
    ) -> Result<(Response<ResponseBody>, Authorization), Box<Fault>> {
        let mut n_followed = 0;
        loop {
            let may_follow = redirect::may_follow(self.connection.settings.redirects, request);
            let bare = may_follow.then(|| Box::new(request.clone()));
            let span = request_span(request, &self.plan.operation().path);
            span.in_scope(|| self.mark_trace_step(request));
            let sent = self.send_request(request, told, journal).instrument(span.clone()).await;
            let (answer, authorization) = sent?;
            note_status(&span, answer.status());
            let next = bare.and_then(|bare| {
                redirect::next_request(&bare, &answer, &self.plan.operation().server.url)
            });
            let Some(next) = next else { return Ok((answer, authorization)) };
            if n_followed == redirect::MAX_REDIRECTS {
                let status = answer.status().as_u16();
                return Err(wording::answer::too_many_redirects(status, redirect::MAX_REDIRECTS));
            }
            *request = next;
            n_followed += 1;
        }
    }

    /// Marks on a request which step of a trace it is, if the program keeps its own steps.
    fn mark_trace_step(&self, request: &mut Request<Bytes>) {
        let Some(CurrentTrace(now)) = self.call.extensions().get() else { return };
        if let Some(step) = now() {
            step.replace_trace_headers(self.call.trace(), request.headers_mut());
        }
    }

    async fn send_request(
        &mut self,
        request: &mut Request<Bytes>,
        told: FaultOf,
        journal: &mut Journal,
    ) -> Result<(Response<ResponseBody>, Authorization), Box<Fault>> {
        let watched =
            self.call.extensions().get::<CallWatcher>().map(|CallWatcher(watcher)| watcher);
        let shown = watched.and_then(|_| self.masked_request_for_watcher(request));
        let authorization = self.authorize_request(request, told, journal).await?;
        if !authorization.placed.is_empty() && self.sent == SentCredential::Nothing {
            self.sent = SentCredential::Credential;
        }
        self.secrets.extend(authorization.secrets.iter().cloned());
        if let Some(attempts) = &mut self.attempts {
            attempts.note_method_override(request.headers());
        }
        let started = Instant::now();
        let timeout = self.deadline.saturating_duration_since(started);
        if timeout.is_zero() {
            return Err(wording::timed_out_before_sending(self.limits().timeout));
        }
        let limits = Limits { timeout, ..self.connection.settings.limits };
        if let (Some(watcher), Some(shown)) = (watched, shown) {
            watcher.observe_request(&shown);
        }
        if let Some(recorder) = watched.and_then(|watcher| watcher.recorder()) {
            recorder.record_request(render_request(request));
        }
        if let Some(event) = self.attempts.as_mut().and_then(|attempts| attempts.repeated.take()) {
            journal.note(event);
        }
        let request = mem::replace(request, Request::new(Bytes::new()));
        let opened = self.connection.transport.open(request, &limits).await;
        let status = opened.as_ref().ok().map(|response| response.status().as_u16());
        journal.note(Event::Attempt { status, elapsed: started.elapsed() });
        let answer = opened.map_err(|error| self.sending_fault(&error, journal))?;
        if let Some(watcher) = watched {
            let masker = Masker::new(&self.secrets);
            watcher.observe_answer_head(&masked_request::masked_answer_head(
                &answer,
                started.elapsed(),
                &masker,
            ));
        }
        if answer.extensions().get::<SentAgain>().is_some() {
            journal.note(Event::SentAgain);
        }
        Ok((answer, authorization))
    }

    /// Puts the credentials on a request. If the time is up before a request is sent, the call is late, whether checks
    /// or fetching a credential took the time.
    async fn authorize_request(
        &self,
        request: &mut Request<Bytes>,
        told: FaultOf,
        journal: &mut Journal,
    ) -> Result<Authorization, Box<Fault>> {
        let authorized = self.authenticator.authorize(request, self.call.session());
        let authorized = pin!(run_within_deadline(self.deadline, authorized));
        let Some(authorized) = Stop::run_unless_stopped(self.call.stop_signal(), authorized).await
        else {
            return Err(failure::stop_fault(
                Reached::No,
                self.plan.operation().retry_effect(),
                journal,
            ));
        };
        let Ok(authorized) = authorized else {
            return Err(wording::timed_out_before_sending(self.limits().timeout));
        };
        authorized.map_err(|error| {
            if let Some(why) = failure::credential_operator_detail(&error) {
                tracing::info!(why, "no credential");
                journal.note(Event::CredentialAbsent { why });
            }
            if let Some(parameter) = error.session_parameter() {
                journal.note(Event::SignInRequired { parameter: parameter.to_owned() });
            }
            told(&error)
        })
    }

    /// The request before it has its credentials, as a watcher of the call may see it.
    fn masked_request_for_watcher(&self, request: &Request<Bytes>) -> Option<PlannedRequest> {
        let shown =
            masked_request::masked_plan(request.clone(), self.authenticator, self.call.session())
                .ok()?;
        Some(self.connection.session_values.masked_request(shown, self.call.session()))
    }

    async fn renew_credential(
        &self,
        refusal: Option<CredentialRefusal>,
        authorization: &Authorization,
    ) -> bool {
        let Some(refusal) = refusal else { return false };
        let may_help =
            self.authenticator.handle_refusal(authorization, refusal, self.call.session()).await;
        may_help && refusal == CredentialRefusal::Token
    }
}

/// The most results that one call sends on.
const MAX_HANDLES: usize = 256;

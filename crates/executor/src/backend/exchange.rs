//! Sends the requests of one call: with its credentials, once more where a token was refused that can be renewed, and on
//! along redirects where the toolset lets them be followed. Reading the answer's body is left to others.

use std::sync::Arc;

use bytes::Bytes;
use callgate_auth::{Authenticator, Authorization, Refusal};
use callgate_call::{Kept, Plan};
use callgate_secret::{Masker, Secret};
use callgate_tool::{Arguments, Event, Fault, Handle, Journal, Session};
use callgate_transport::{Error, ErrorKind, Limits, ResponseBody, SentAgain, Transport};
use http::{Request, Response};
use tokio::time::Instant;

use super::{challenge, failure, redirect, session_values::masked};
use crate::{
    results::Results,
    toolset::{Redirects, SessionValues},
};

/// How the operations of a toolset are reached.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) limits: Limits,
    pub(crate) redirects: Redirects,
    pub(crate) session_values: SessionValues,
    pub(crate) results: Arc<Results>,
}

impl Connection {
    /// The request of a call, whose arguments may name what was kept of earlier ones.
    pub(super) fn planned(
        &self,
        plan: &Plan,
        (arguments, session): (&Arguments, &Session),
        journal: &mut Journal,
    ) -> Result<Request<Bytes>, Box<Fault>> {
        let find = |handle: &Handle| self.results.get(handle);
        let inputs = self.session_values.inputs(session, plan.operation(), journal);
        plan.request_with(arguments, &inputs, Kept::new(&find), journal)
    }
}

/// One call while it runs.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    plan: &'a Plan,
    authenticator: &'a dyn Authenticator,
    connection: &'a Connection,
    session: &'a Session,
    /// Set when the first request is ready: fetching a credential has time limits of its own.
    deadline: Option<Instant>,
    /// What was sent that must not be shown.
    pub(super) secrets: Vec<Secret>,
}

/// How a credential that cannot be put on is told.
type Told = fn(&callgate_auth::Error) -> Box<Fault>;

impl<'a> Exchange<'a> {
    /// A call that has not begun.
    pub(super) fn new(
        (plan, authenticator, connection): (&'a Plan, &'a dyn Authenticator, &'a Connection),
        session: &'a Session,
    ) -> Self {
        let secrets = connection.session_values.secrets(session);
        Self { plan, authenticator, connection, session, deadline: None, secrets }
    }

    /// When the call must have ended.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline.unwrap_or_else(|| Instant::now() + self.connection.limits.timeout)
    }

    /// Sends the call and, where the service refuses a token that can be renewed, sends it once more: what was refused
    /// was not executed.
    pub(super) async fn answer(
        &mut self,
        arguments: &Arguments,
        journal: &mut Journal,
    ) -> Result<Response<ResponseBody>, Box<Fault>> {
        let given = (arguments, self.session);
        let request = self.trusted(self.connection.planned(self.plan, given, journal)?);
        let checked = self.connection.transport.check(&request);
        checked.map_err(|error| self.fault(&error, journal))?;
        let (answer, authorization) =
            self.followed(request, failure::of_credential, journal).await?;
        let is_late = self.deadline() <= Instant::now();
        let refusal = challenge::refusal(&answer).filter(|_| !is_late);
        if !self.is_renewed(refusal, &authorization).await {
            return Ok(answer);
        }
        journal.note(Event::CredentialRenewed);
        // Built again rather than kept, so that calls that are not refused do not pay for it. Its decisions are noted.
        let request = self.connection.planned(self.plan, given, &mut Journal::default())?;
        let request = self.trusted(request);
        let (answer, _) = self.followed(request, failure::of_renewal, journal).await?;
        Ok(answer)
    }

    /// What an exchange that failed means.
    pub(super) fn fault(&self, error: &Error, journal: &mut Journal) -> Box<Fault> {
        if let (ErrorKind::NothingRecorded, Some(detail)) = (error.kind(), error.detail()) {
            let detail = masked(detail.to_owned(), &Masker::new(&self.secrets));
            journal.note(Event::NothingRecorded { detail });
        }
        if let Some(remedy) = failure::remedy(error, &self.plan.operation().server.url) {
            journal.note(Event::Refused { remedy });
        }
        failure::of_exchange(error, &self.connection.limits, self.plan.operation().effect)
    }

    /// The request with who named its server, which is what the transport trusts it by.
    fn trusted(&self, mut request: Request<Bytes>) -> Request<Bytes> {
        request.extensions_mut().insert(self.plan.operation().server.named_by);
        request
    }

    /// Sends the request and what redirects ask for instead of it.
    async fn followed(
        &mut self,
        mut request: Request<Bytes>,
        told: Told,
        journal: &mut Journal,
    ) -> Result<(Response<ResponseBody>, Authorization), Box<Fault>> {
        let mut n_followed = 0;
        loop {
            let may_follow = n_followed < redirect::MAX_REDIRECTS
                && redirect::may_follow(self.connection.redirects, &request);
            let bare = may_follow.then(|| request.clone());
            let (answer, authorization) = self.sent(request, told, journal).await?;
            let next =
                bare.and_then(|bare| redirect::next(&bare, answer.status(), answer.headers()));
            let Some(next) = next else { return Ok((answer, authorization)) };
            request = next;
            n_followed += 1;
        }
    }

    /// Puts the credentials on one request and sends it.
    async fn sent(
        &mut self,
        mut request: Request<Bytes>,
        told: Told,
        journal: &mut Journal,
    ) -> Result<(Response<ResponseBody>, Authorization), Box<Fault>> {
        let authorized = self.authenticator.authorize(&mut request, self.session).await;
        let authorization = authorized.map_err(|error| {
            if let Some(why) = failure::cause(&error) {
                journal.note(Event::CredentialAbsent { why });
            }
            told(&error)
        })?;
        self.secrets.extend(authorization.secrets.iter().cloned());
        let started = Instant::now();
        let deadline = *self.deadline.get_or_insert(started + self.connection.limits.timeout);
        let timeout = deadline.saturating_duration_since(started);
        let limits = Limits { timeout, ..self.connection.limits };
        let opened = self.connection.transport.open(request, &limits).await;
        let status = opened.as_ref().ok().map(|response| response.status().as_u16());
        journal.note(Event::Attempt { status, elapsed: started.elapsed() });
        let answer = opened.map_err(|error| self.fault(&error, journal))?;
        if answer.extensions().get::<SentAgain>().is_some() {
            journal.note(Event::SentAgain);
        }
        Ok((answer, authorization))
    }

    async fn is_renewed(&self, refusal: Option<Refusal>, authorization: &Authorization) -> bool {
        let Some(refusal) = refusal else { return false };
        let may_help = self.authenticator.refused(authorization, refusal, self.session).await;
        may_help && refusal == Refusal::Token
    }
}

//! Runs operations of a description: plans the request, lets the authenticator finish it, sends it, reads the answer.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_auth::{Authenticator, Authorization, CredentialPlace, Place, Refusal, place_masks};
use callgate_call::{Masked, Plan, Shape, planned};
use callgate_openapi::{NamedBy, Operation};
use callgate_secret::MASK;
use callgate_tool::{Arguments, Content, Effect, Event, Fault, Journal, Outcome, Session, Tool};
use callgate_transport::{Error, ErrorKind, Limits, SentAgain, Transport, Trust};
use http::{
    HeaderMap, Request, Response,
    header::{CONTENT_TYPE, COOKIE},
};
use tokio::time::Instant;

use super::{Backend, challenge, echo, failure};
use crate::{results::Results, toolset::Callable};

/// One operation, its credentials, and the connection its toolset shares.
#[derive(Debug)]
pub(crate) struct OpenApi {
    plan: Plan,
    authenticator: Arc<dyn Authenticator>,
    connection: Arc<Connection>,
}

/// How the operations of a toolset are reached.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) limits: Limits,
    pub(crate) shape: Shape,
    pub(crate) results: Arc<Results>,
}

impl OpenApi {
    /// The backend of one operation.
    pub(crate) fn new(callable: Callable, connection: Arc<Connection>) -> Self {
        let Callable { operation, authenticator } = callable;
        Self { plan: Plan::new(operation), authenticator, connection }
    }

    fn effect(&self) -> Effect {
        self.plan.operation().effect
    }

    fn planned(
        &self,
        arguments: &Arguments,
        session: &Session,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        let mut request = self.plan.request(arguments, session, journal)?;
        let places = self.authenticator.places();
        place_masks(&mut request, &places).map_err(|error| failure::of_credential(&error))?;
        if let Some(obstacle) = self.authenticator.obstacle() {
            journal.note(Event::Unauthorized { why: obstacle.to_string() });
        }
        Ok(Outcome::Planned(Box::new(planned(&request, &masked(&places, request.headers())))))
    }

    /// Sends the call and, where the service refuses a token that can be renewed, sends it once more: what was refused
    /// was not executed.
    async fn exchange(
        &self,
        arguments: &Arguments,
        session: &Session,
        journal: &mut Journal,
    ) -> Result<Response<Bytes>, Box<Fault>> {
        let request = self.trusted(self.plan.request(arguments, session, journal)?);
        let checked = self.connection.transport.check(&request);
        checked.map_err(|error| self.failed(&error, journal))?;
        let limits = self.connection.limits;
        let authorized = self.authorized(request, session).await;
        let authorized = authorized.map_err(|error| failure::of_credential(&error))?;
        let started = Instant::now();
        let (received, authorization) = self.sent(authorized, limits, journal).await?;
        let remaining = limits.timeout.saturating_sub(started.elapsed());
        if remaining.is_zero() || !self.is_renewed(&received, &authorization, session).await {
            return Ok(echo::masked(received, &authorization.secrets));
        }
        journal.note(Event::CredentialRenewed);
        // Built again rather than kept, so that calls that are not refused do not pay for it. Its decisions are noted.
        let request =
            self.trusted(self.plan.request(arguments, session, &mut Journal::default())?);
        let authorized = self.authorized(request, session).await;
        let authorized = authorized.map_err(|error| failure::of_renewal(&error))?;
        let limits = Limits { timeout: remaining, ..limits };
        let (received, renewed) = self.sent(authorized, limits, journal).await?;
        let secrets = [authorization.secrets, renewed.secrets].concat();
        Ok(echo::masked(received, &secrets))
    }

    async fn authorized(
        &self,
        mut request: Request<Bytes>,
        session: &Session,
    ) -> Result<(Request<Bytes>, Authorization), callgate_auth::Error> {
        let authorization = self.authenticator.authorize(&mut request, session).await?;
        Ok((request, authorization))
    }

    async fn sent(
        &self,
        (request, authorization): (Request<Bytes>, Authorization),
        limits: Limits,
        journal: &mut Journal,
    ) -> Result<(Response<Bytes>, Authorization), Box<Fault>> {
        let started = Instant::now();
        let sent = self.connection.transport.send(request, &limits).await;
        let status = sent.as_ref().ok().map(|response| response.status().as_u16());
        journal.note(Event::Attempt { status, elapsed: started.elapsed() });
        let received = sent.map_err(|error| self.failed(&error, journal))?;
        if received.extensions().get::<SentAgain>().is_some() {
            journal.note(Event::SentAgain);
        }
        Ok((received, authorization))
    }

    /// The request with who named its server, which is what the transport trusts it by.
    fn trusted(&self, mut request: Request<Bytes>) -> Request<Bytes> {
        let trust = match self.plan.operation().server.named_by {
            NamedBy::Operator => Trust::Operator,
            NamedBy::Description => Trust::Description,
        };
        request.extensions_mut().insert(trust);
        request
    }

    fn failed(&self, error: &Error, journal: &mut Journal) -> Box<Fault> {
        if let (ErrorKind::NothingRecorded, Some(detail)) = (error.kind(), error.detail()) {
            journal.note(Event::NothingRecorded { detail: detail.to_owned() });
        }
        if let Some(remedy) = failure::remedy(error, &self.plan.operation().server.url) {
            journal.note(Event::Refused { remedy });
        }
        failure::of_exchange(error, &self.connection.limits, self.effect())
    }

    async fn is_renewed(
        &self,
        received: &Response<Bytes>,
        authorization: &Authorization,
        session: &Session,
    ) -> bool {
        let Some(refusal) = challenge::refusal(received) else { return false };
        let may_help = self.authenticator.refused(authorization, refusal, session).await;
        may_help && refusal == Refusal::Token
    }

    /// What an answer means; the whole of it is kept where not all is shown.
    fn outcome(&self, response: &Response<Bytes>) -> Outcome {
        let mut outcome = self.plan.outcome(response, &self.connection.shape);
        if let Outcome::Answered(answer) = &mut outcome {
            let is_file = matches!(answer.content, Content::File { .. });
            if is_file || answer.truncated.is_some() {
                let media_type = response.headers().get(CONTENT_TYPE);
                let media_type =
                    media_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
                let body = response.body().clone();
                answer.handle = self.connection.results.keep(media_type.to_owned(), body);
            }
        }
        outcome
    }
}

#[async_trait]
impl Backend for OpenApi {
    fn declaration(&self) -> &Tool {
        self.plan.operation().declaration()
    }

    fn operation(&self) -> Option<&Arc<Operation>> {
        Some(self.plan.operation())
    }

    fn prepare(&self, arguments: &Arguments, session: &Session, journal: &mut Journal) -> Outcome {
        self.planned(arguments, session, journal).unwrap_or_else(Outcome::Failed)
    }

    async fn run(
        &self,
        arguments: &Arguments,
        session: &Session,
        journal: &mut Journal,
    ) -> Outcome {
        match self.exchange(arguments, session, journal).await {
            Ok(response) => self.outcome(&response),
            Err(fault) => Outcome::Failed(fault),
        }
    }
}

/// The places of credentials in the words of a dry run; `headers` are those of the masked request.
fn masked(places: &[CredentialPlace], headers: &HeaderMap) -> Masked {
    let mut masked = Masked::default();
    for place in places {
        let environment = place.environment().map(ToOwned::to_owned);
        let name = place.name().to_owned();
        match place.place() {
            Place::Query => masked.query.push((name, environment)),
            // A credential's cookie is the last; what was put before it is masked already.
            Place::Cookie => {
                let cookies = headers.get(COOKIE).and_then(|value| value.to_str().ok());
                let before = cookies.and_then(|known| known.strip_suffix(MASK));
                let last = (COOKIE.to_string(), before.unwrap_or_default().to_owned(), environment);
                masked.headers.retain(|(known, ..)| *known != last.0);
                masked.headers.push(last);
            }
            _ => masked.headers.push((name, place.prefix().to_owned(), environment)),
        }
    }
    masked
}

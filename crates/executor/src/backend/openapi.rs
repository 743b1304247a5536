//! Runs operations of a description: plans the request, lets the authenticator finish it, sends it, reads the answer.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_auth::{Authenticator, CredentialPlace, Place, place_masks};
use callgate_call::{Masked, Plan, planned};
use callgate_openapi::Operation;
use callgate_tool::{Arguments, Effect, Event, Fault, Journal, Outcome, Session, Tool};
use callgate_transport::{Error, ErrorKind, Limits, Transport};
use http::{Request, Response};
use tokio::time::Instant;

use super::{Backend, failure, origin};

/// One operation and the connection its toolset shares.
#[derive(Debug)]
pub(crate) struct OpenApi {
    plan: Plan,
    connection: Arc<Connection>,
}

/// How the operations of a toolset are reached.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) limits: Limits,
}

impl OpenApi {
    /// The backend of one operation.
    pub(crate) fn new(operation: Arc<Operation>, connection: Arc<Connection>) -> Self {
        Self { plan: Plan::new(operation), connection }
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
        let places = self.connection.authenticator.places();
        place_masks(&mut request, &places).map_err(|error| failure::of_credential(&error))?;
        Ok(Outcome::Planned(Box::new(planned(&request, &masked(&places)))))
    }

    async fn exchange(
        &self,
        mut request: Request<Bytes>,
        session: &Session,
        journal: &mut Journal,
    ) -> Result<Response<Bytes>, Box<Fault>> {
        let Connection { authenticator, transport, limits } = &*self.connection;
        let server = &self.plan.operation().server;
        if !origin::is_trusted(&server.url, server.named_by) {
            return Err(failure::untrusted_server());
        }
        let authorized = authenticator.authorize(&mut request, session).await;
        authorized.map_err(|error| failure::of_credential(&error))?;
        let started = Instant::now();
        let sent = transport.send(request, limits).await;
        let status = sent.as_ref().ok().map(|response| response.status().as_u16());
        journal.note(Event::Attempt { status, elapsed: started.elapsed() });
        sent.map_err(|error| {
            note_what_was_recorded(&error, journal);
            failure::of_exchange(&error, limits, self.effect())
        })
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
        let request = match self.plan.request(arguments, session, journal) {
            Ok(request) => request,
            Err(fault) => return Outcome::Failed(fault),
        };
        match self.exchange(request, session, journal).await {
            Ok(response) => self.plan.outcome(&response, &callgate_call::Shape::default()),
            Err(fault) => Outcome::Failed(fault),
        }
    }
}

/// The places of credentials in the words of a dry run.
fn masked(places: &[CredentialPlace]) -> Masked {
    let mut masked = Masked::default();
    for place in places {
        let environment = place.environment().map(ToOwned::to_owned);
        let name = place.name().to_owned();
        if place.place() == Place::Query {
            masked.query.push((name, environment));
        } else {
            masked.headers.push((name, place.prefix().to_owned(), environment));
        }
    }
    masked
}

fn note_what_was_recorded(error: &Error, journal: &mut Journal) {
    if let (ErrorKind::NothingRecorded, Some(detail)) = (error.kind(), error.detail()) {
        journal.note(Event::NothingRecorded { detail: detail.to_owned() });
    }
}

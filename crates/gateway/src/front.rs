//! The checks that every request passes before the router sees it: there is room, it is meant for us, its sender is
//! known and allowed. The order is that of the cheapest refusal first.

mod arriving;
mod host;
mod room;
mod shares;

use std::{convert::Infallible, pin::Pin, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
    routing::future::RouteFuture,
};
use callgate_config::{Built, ServingLimits};
use http::{Request, request::Parts};
use hyper::body::{Body as _, Incoming};
use tokio::time::Instant;
use tower_service::Service;

use self::{arriving::Arriving, room::Room, shares::Shares};
use crate::{
    access::{self, Access},
    caller::Caller,
    drain::Drain,
    gateway::Gateway,
    json_body::BodyLimit,
    listens::Listens,
    peer::{Door, Encrypted, Peer},
    problem::{self, Problem, ProblemKind},
};

pub(crate) use self::room::Place;

/// Everything between a connection and the router.
#[derive(Debug)]
pub(crate) struct Front {
    router: Router,
    gateway: Gateway,
    access: Access,
    limits: ServingLimits,
    room: Room,
    /// The part of it that one principal may take; none where that is all of it.
    shares: Option<Shares>,
}

/// A request after the checks, with its place in the room.
enum Checked {
    Admitted { answer: Pin<Box<RouteFuture<Infallible>>>, place: Option<Arc<Place>> },
    Refused { response: Response, place: Option<Arc<Place>> },
}

impl Checked {
    fn refused(problem: Problem, place: Option<Arc<Place>>) -> Self {
        Self::Refused { response: problem.into_response(), place }
    }
}

impl Front {
    /// The front of a router, with the bounds of the first configuration.
    pub(crate) fn new(router: Router, gateway: Gateway, limits: ServingLimits) -> Self {
        let room = Room::new(limits.requests);
        let shares = limits.principal_requests.map(Shares::new);
        Self { router, gateway, access: Access::default(), limits, room, shares }
    }

    pub(crate) fn limits(&self) -> &ServingLimits {
        &self.limits
    }

    /// The state that says if the sidecar is being stopped.
    pub(crate) fn drain(&self) -> &Drain {
        self.gateway.drain()
    }

    /// The tools served now.
    pub(crate) fn built(&self) -> Arc<Built> {
        self.gateway.built()
    }

    /// Answers a request; what comes with the answer is room for another one, as soon as it is dropped.
    pub(crate) async fn answer(
        &self,
        request: Box<Request<Incoming>>,
        peer: &Peer,
    ) -> (Response, Option<Arc<Place>>) {
        // The checks need more memory than the wait for the answer: theirs is free before that begins.
        let (answer, place) = match Box::pin(self.check(request, peer)).await {
            Checked::Admitted { answer, place } => (answer, place),
            Checked::Refused { response, place } => return (response, place),
        };
        let Ok(response) = answer.await;
        let place = place.filter(|_| response.extensions().get::<Listens>().is_none());
        (response, place)
    }

    /// Checks a request, and hands it to the router where it may go on.
    async fn check(&self, request: Box<Request<Incoming>>, peer: &Peer) -> Checked {
        let deadline = Instant::now() + self.limits.body_time;
        let is_probe = is_probe(request.uri().path());
        let place = match self.admit() {
            Ok(place) => Some(place),
            Err(_) if is_probe => None,
            Err(problem) => return Checked::refused(problem, None),
        };
        let (mut head, body) = request.into_parts();
        if peer.is_encrypted {
            head.extensions.insert(Encrypted);
        }
        let caller = tokio::select! {
            biased;
            caller = self.caller(&head, peer) => caller,
            () = self.drain().over() => Err(problem::draining()),
        };
        let caller = match caller {
            Ok(caller) => caller,
            // Whoever asks whether we live, or who makes our tokens, learns that, and no more.
            Err(_) if is_probe => Caller::default(),
            Err(problem) if problem.is_of_tokens() && access::is_metadata(head.uri.path()) => {
                Caller::default()
            }
            Err(problem) => return Checked::refused(problem, place),
        };
        if let Some(problem) = self.beyond_share(&caller, place.as_deref()) {
            return Checked::refused(problem, place);
        }
        head.extensions.insert(caller);
        head.extensions.insert(BodyLimit(self.limits.body_bytes));
        let body = if body.is_end_stream() {
            Body::empty()
        } else {
            Body::new(Arriving::new(body, deadline, self.drain().clone(), place.clone()))
        };
        let answer = self.router.clone().call(Request::from_parts(head, body));
        Checked::Admitted { answer: Box::pin(answer), place }
    }

    /// Room for a request, unless there is none or the sidecar is being stopped.
    fn admit(&self) -> Result<Arc<Place>, Problem> {
        if self.drain().is_draining() {
            return Err(problem::draining());
        }
        self.room.place().ok_or_else(problem::overloaded)
    }

    /// The problem of a principal that has as many requests under way as it may; another one has a share of the room
    /// from now on.
    fn beyond_share(&self, caller: &Caller, place: Option<&Place>) -> Option<Problem> {
        let (shares, principal) = self.shares.as_ref().zip(caller.principal.as_ref())?;
        let place = place?;
        let Some(share) = shares.take(principal) else { return Some(problem::beyond_share()) };
        place.hold(share);
        None
    }

    /// The party that sent the request, if it may go on.
    async fn caller(&self, head: &Parts, peer: &Peer) -> Result<Caller, Problem> {
        let path = head.uri.path();
        // HTTP/1 counts them while it reads them.
        if head.headers.len() > self.limits.headers {
            let most = self.limits.headers;
            let detail = format!("expected at most {most} headers");
            return Err(Problem::new(ProblemKind::HEAD_TOO_LARGE, detail));
        }
        let built = self.gateway.built();
        host::check(head, peer, &built.serving.hosts)?;
        let caller = self.access.caller(&built, &head.headers, peer).await;
        let caller = caller.or_else(|problem| unknown(&built, head, problem))?;
        may_go_through(path, peer)?;
        if is_admins(path) && !caller.is_admin {
            let detail = "expected a principal with `admin: true`, or a listener of `admin:`";
            return Err(Problem::new(ProblemKind::FORBIDDEN, detail));
        }
        Ok(caller)
    }
}

/// The caller that nobody knows, where tools are listed for everybody; else the problem, with what a client of OAuth looks for.
fn unknown(built: &Built, head: &Parts, problem: Problem) -> Result<Caller, Problem> {
    if !problem.is_of_tokens() {
        return Err(problem);
    }
    let listed = built.serving.access.as_ref().map(|access| &access.public_listing);
    let listed = listed.filter(|listed| !listed.is_empty() && access::is_mcp(head.uri.path()));
    match listed {
        Some(listed) if problem.is_unauthenticated() => Ok(Caller::listing(Arc::clone(listed))),
        _ => Err(problem.with_challenge(access::challenge(built, head, &[]))),
    }
}

/// Refuses a path that is not served at this listener.
fn may_go_through(path: &str, peer: &Peer) -> Result<(), Problem> {
    let is_served = match peer.door {
        Door::Admin => {
            is_admins(path) || is_probe(path) || matches!(path, METRICS | "/openapi.json")
        }
        Door::Calls => path != METRICS || peer.is_local(),
    };
    if is_served {
        return Ok(());
    }
    let detail = match peer.door {
        Door::Admin => "calls are served by the listeners of `listen:`",
        Door::Calls => "`/metrics` is served by the listeners of `admin:`",
    };
    Err(Problem::new(ProblemKind::UNKNOWN_PATH, detail))
}

fn is_admins(path: &str) -> bool {
    path == "/v1/admin" || path.starts_with("/v1/admin/")
}

fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

const METRICS: &str = "/metrics";

//! The checks that every request passes before the router sees it: there is capacity, it is meant for us, its sender is
//! known and allowed. The order is that of the cheapest refusal first.

mod arriving_body;
mod capacity;
mod host;

use std::{convert::Infallible, pin::Pin, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
    routing::future::RouteFuture,
};
use callgate_config::{Built, ServingLimits};
use callgate_session::{FairQueue, QueueBounds};
use http::{Request, request::Parts};
use hyper::body::{Body as _, Incoming};
use tokio::time::Instant;
use tower_service::Service;

use self::{arriving_body::ArrivingBody, capacity::Capacity};
use crate::{
    access,
    caller::Caller,
    drain::Drain,
    gateway::Gateway,
    json_body::BodyLimit,
    listens::Listens,
    observe::RequestFacts,
    pages,
    peer::{Encrypted, ListenerKind, Peer},
    problem::{self, Problem, ProblemKind},
};

pub(crate) use self::capacity::Permit;

/// Everything between a connection and the router.
#[derive(Debug)]
pub(crate) struct Admission {
    router: Router,
    gateway: Gateway,
    limits: ServingLimits,
    capacity: Capacity,
    /// The part of the capacity that one principal may use; `None` if it may use all.
    shares: Option<FairQueue>,
}

enum CheckedRequest {
    Admitted { answer: Pin<Box<RouteFuture<Infallible>>>, permit: Option<Arc<Permit>> },
    Refused { response: Response, permit: Option<Arc<Permit>> },
}

impl CheckedRequest {
    fn from_problem(problem: Problem, permit: Option<Arc<Permit>>) -> Self {
        Self::Refused { response: problem.into_response(), permit }
    }
}

impl Admission {
    pub(crate) fn new(router: Router, gateway: Gateway, limits: ServingLimits) -> Self {
        let capacity = Capacity::new(limits.requests);
        let shares = limits.principal_requests.map(principal_shares);
        Self { router, gateway, limits, capacity, shares }
    }

    pub(crate) fn limits(&self) -> &ServingLimits {
        &self.limits
    }

    pub(crate) fn drain(&self) -> &Drain {
        self.gateway.drain()
    }

    pub(crate) fn current_build(&self) -> Arc<Built> {
        self.gateway.current_build()
    }

    /// Answers a request. The permit beside the response is free for another request when it is dropped.
    pub(crate) async fn answer_request(
        &self,
        request: Box<Request<Incoming>>,
        peer: &Peer,
    ) -> (Response, Option<Arc<Permit>>) {
        // The checks are dropped first: they need more memory than the wait for the answer.
        let (answer, permit) = match Box::pin(self.check_request(request, peer)).await {
            CheckedRequest::Admitted { answer, permit } => (answer, permit),
            CheckedRequest::Refused { response, permit } => return (response, permit),
        };
        let Ok(response) = answer.await;
        let permit = permit.filter(|_| response.extensions().get::<Listens>().is_none());
        (response, permit)
    }

    /// Checks a request, and passes an admitted one to the router.
    async fn check_request(&self, request: Box<Request<Incoming>>, peer: &Peer) -> CheckedRequest {
        let deadline = Instant::now() + self.limits.body_time;
        let is_probe = is_probe(request.uri().path());
        let permit = match self.admit_request() {
            Ok(permit) => Some(permit),
            Err(_) if is_probe => None,
            Err(problem) => return CheckedRequest::from_problem(problem, None),
        };
        let (mut head, body) = request.into_parts();
        if peer.is_encrypted {
            head.extensions.insert(Encrypted);
        }
        let caller = tokio::select! {
            biased;
            caller = self.identify_caller(&head, peer) => caller,
            () = self.drain().wait_until_calls_stopped() => Err(problem::draining_problem()),
        };
        let caller = match caller {
            Ok(caller) => caller,
            // Health checks and metadata are answered to refused callers, too.
            Err(_) if is_probe => Caller::default(),
            Err(problem)
                if problem.needs_other_token() && access::is_metadata_path(head.uri.path()) =>
            {
                Caller::default()
            }
            Err(problem) => return CheckedRequest::from_problem(problem, permit),
        };
        if let Some(problem) = self.take_principal_share(&caller, permit.as_deref()) {
            return CheckedRequest::from_problem(problem, permit);
        }
        head.extensions.insert(caller);
        head.extensions.insert(BodyLimit(self.limits.body_bytes));
        let body = if body.is_end_stream() {
            Body::empty()
        } else {
            Body::new(ArrivingBody::new(body, deadline, self.drain().clone(), permit.clone()))
        };
        let answer = self.router.clone().call(Request::from_parts(head, body));
        CheckedRequest::Admitted { answer: Box::pin(answer), permit }
    }

    /// A permit for a request, unless there is none or the sidecar is being stopped.
    fn admit_request(&self) -> Result<Arc<Permit>, Problem> {
        if self.drain().is_draining() {
            return Err(problem::draining_problem());
        }
        self.capacity.acquire_or_take_over_permit().ok_or_else(problem::overloaded_problem)
    }

    /// Takes a part of the principal's share. Returns the problem if the share is used up.
    fn take_principal_share(&self, caller: &Caller, permit: Option<&Permit>) -> Option<Problem> {
        let (shares, principal) = self.shares.as_ref().zip(caller.principal.as_ref())?;
        let permit = permit?;
        match shares.try_enter(principal.id(), 1) {
            Some(share) => permit.hold_share(share),
            None => return Some(problem::share_exceeded_problem()),
        }
        None
    }

    async fn identify_caller(&self, head: &Parts, peer: &Peer) -> Result<Caller, Problem> {
        let path = head.uri.path();
        // HTTP/1 counts them while it reads them.
        if head.headers.len() > self.limits.headers {
            let most = self.limits.headers;
            let detail = format!("expected at most {most} headers");
            return Err(Problem::new(ProblemKind::HEAD_TOO_LARGE, detail));
        }
        let built = self.gateway.current_build();
        host::check_host_and_origin(head, peer, &built.serving.hosts)?;
        let caller = self.gateway.access().identify_caller(&built, &head.headers, peer).await;
        let caller = match caller {
            Err(problem) if problem.needs_other_token() && pages::is_console_path(path) => {
                pages::caller_from_cookie(&self.gateway, &built, head).await
            }
            caller => caller.or_else(|problem| public_listing_caller(&built, head, problem)),
        };
        let caller = caller?;
        if let (Some(facts_of_request), Some(principal)) =
            (head.extensions.get::<Arc<RequestFacts>>(), &caller.principal)
        {
            facts_of_request.set_principal(principal);
        }
        check_path_at_listener(path, peer)?;
        if is_admin_path(path) && !caller.is_admin && !is_open_console_path(path, &built, peer) {
            let detail = "expected a principal with `admin: true`, or a listener of `admin:`";
            return Err(Problem::new(ProblemKind::FORBIDDEN, detail));
        }
        Ok(caller)
    }
}

/// The parts that principals use of the capacity, which bounds all of them together. Nobody waits for a part.
fn principal_shares(each: usize) -> FairQueue {
    FairQueue::new(QueueBounds { units: usize::MAX, each, waiting: 0 })
}

/// The anonymous caller if tools are listed publicly; otherwise the problem, with a challenge for clients of OAuth.
fn public_listing_caller(built: &Built, head: &Parts, problem: Problem) -> Result<Caller, Problem> {
    if !problem.needs_other_token() {
        return Err(problem);
    }
    let listed = built.serving.access.as_ref().map(|access| &access.public_listing);
    let listed = listed.filter(|listed| !listed.is_empty() && access::is_mcp_path(head.uri.path()));
    match listed {
        Some(listed) if problem.is_unauthenticated() => {
            Ok(Caller::listing_only(Arc::clone(listed)))
        }
        _ => Err(problem.with_challenge(access::challenge_parameters(built, head, &[]))),
    }
}

/// Refuses a path that is not served at this listener.
fn check_path_at_listener(path: &str, peer: &Peer) -> Result<(), Problem> {
    let is_served = match peer.kind {
        ListenerKind::Admin => {
            is_admin_path(path) || is_probe(path) || matches!(path, METRICS | "/openapi.json")
        }
        ListenerKind::Calls => path != METRICS || peer.is_local(),
    };
    if is_served {
        return Ok(());
    }
    let detail = match peer.kind {
        ListenerKind::Admin => "calls are served by the listeners of `listen:`",
        ListenerKind::Calls => "`/metrics` is served by the listeners of `admin:`",
    };
    Err(Problem::new(ProblemKind::UNKNOWN_PATH, detail))
}

fn is_admin_path(path: &str) -> bool {
    path == "/v1/admin" || path.starts_with("/v1/admin/")
}

/// True for what everybody on this machine may read where no callers are distinguished, unless the operator wants no console.
fn is_open_console_path(path: &str, built: &Built, peer: &Peer) -> bool {
    let is_shown = path == "/v1/admin/report"
        || path
            .strip_prefix("/v1/admin/calls")
            .is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/', ..]));
    is_shown
        && built.serving.access.is_none()
        && built.serving.console != Some(false)
        && peer.is_local()
}

fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

const METRICS: &str = "/metrics";

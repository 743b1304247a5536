//! Endings of streams and connections of HTTP/2 × methods × `retry`, keys and approvals, counted at the service. A service that says
//! that it has not processed a request gets it again, unless a person approved it.

use super::{
    ATTEMPTS, DESCRIPTION, Policy,
    frames::{End, Plan, Point, Service},
    has_repetition, make_call,
};
use crate::prelude::*;

/// The error codes of RFC 9113 §7, and one that it does not know.
const CODES: std::ops::RangeInclusive<u32> = 0..=14;
const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const CANCEL: u32 = 8;
const ENHANCE_YOUR_CALM: u32 = 11;

/// The points with the ways to end there. Before a request there is no stream to reset, and whoever resets one within a head breaks
/// the protocol.
fn plans() -> Vec<(Point, End)> {
    let closes = [End::Fin, End::Reset];
    let leaves = [NO_ERROR, INTERNAL_ERROR, ENHANCE_YOUR_CALM]
        .into_iter()
        .flat_map(|code| [End::AwayBelow(code), End::AwayAt(code)]);
    let connections: Vec<End> = closes.into_iter().chain(leaves).collect();
    let each = |point: Point, codes: Vec<u32>| {
        let streams = codes.into_iter().map(End::Stream);
        connections.clone().into_iter().chain(streams).map(move |end| (point, end))
    };
    let some = || vec![NO_ERROR, REFUSED_STREAM, CANCEL];
    let mut plans: Vec<_> = each(Point::BeforeRequest, Vec::new()).collect();
    plans.extend(closes.map(|end| (Point::InResponseHead, end)));
    for point in [Point::AfterHead, Point::InBody, Point::InResponseBody] {
        plans.extend(each(point, some()));
    }
    for point in [Point::AfterRequest, Point::AfterResponseHead] {
        plans.extend(each(point, CODES.collect()));
    }
    plans
}

fn has_begun_response(at: Point) -> bool {
    matches!(at, Point::AfterResponseHead | Point::InResponseBody)
}

/// True if the service says that it has not processed the request (RFC 9113 §8.7).
fn is_unprocessed(plan: Plan) -> bool {
    let is_word = matches!(plan.end, End::Stream(REFUSED_STREAM) | End::AwayBelow(NO_ERROR));
    is_word && !has_begun_response(plan.at)
}

/// The most requests that the service may read.
fn most(policy: Policy, plan: Plan, is_read: bool) -> usize {
    let n_attempts = if policy.retries { ATTEMPTS } else { 1 };
    if policy.is_approved || plan.at == Point::BeforeRequest {
        return 1;
    }
    if is_unprocessed(plan) {
        return 2 * n_attempts;
    }
    if !is_read {
        return 1;
    }
    let is_closed = !matches!(plan.end, End::Stream(_)) && !has_begun_response(plan.at);
    n_attempts + usize::from(plan.is_kept && is_closed)
}

/// True if this may be said of whether a request was read that ended by a plan.
fn is_reached(plan: Plan, reached: Reached) -> bool {
    match reached {
        Reached::No => is_unprocessed(plan),
        Reached::Maybe => !is_unprocessed(plan),
        Reached::Yes => has_begun_response(plan.at),
    }
}

/// An executor whose connection is kept and has ended, as the plan says.
async fn prepare(service: &Service, policy: Policy, plan: Plan) -> Executor {
    service.go_by(plan);
    let ca = service.authority.folder.path().join("ca.pem");
    let tls = format!("tls: {{ca: ['{}']}}", ca.display());
    let executor = target::executor(DESCRIPTION, &service.origin, &policy.settings(&tls));
    if plan.is_kept {
        let first = executor.call(&asked("first", json!({})), &Session::default()).await;
        assert!(matches!(first.outcome, Outcome::Answered(_)), "{plan:?}: {first:?}");
    }
    if plan.is_kept && plan.at == Point::BeforeRequest {
        service.end_idle();
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    executor
}

/// One call under a plan. Returns the number of requests that the service read.
async fn check(service: &Service, policy: Policy, plan: Plan, tool: &str, has_key: bool) -> usize {
    let executor = prepare(service, policy, plan).await;
    // More than one frame.
    let body = json!({"body": {"text": "x".repeat(20_000)}});
    let is_read = tool == "get";
    let call = asked(tool, if is_read { json!({}) } else { body });
    let key = has_key.then_some("a-key");
    let result = make_call(&executor, &call, key).await;
    let n_read = service.n_read();
    let case = format!("{tool} {policy:?} {plan:?} {key:?}: {n_read} {result:?}");
    assert!(n_read <= most(policy, plan, is_read), "{case}");
    assert!(n_read <= 1 || has_repetition(&result.journal), "{case}");
    let Outcome::Failed(fault) = &result.outcome else {
        let is_good = plan.at == Point::BeforeRequest && plan.is_kept;
        assert!(n_read == 1 && is_good, "{case}");
        return n_read;
    };
    assert!(
        plan.at == Point::BeforeRequest || n_read > 0 && is_reached(plan, fault.reached),
        "{case}"
    );
    if has_key && fault.reached == Reached::Maybe {
        let again = make_call(&executor, &call, key).await;
        assert_eq!((service.n_read(), again.outcome), (n_read, result.outcome), "{case}");
    }
    n_read
}

/// A call that changes something and one that reads, with a key in every third place. Returns the number of calls, and the most
/// requests that the service read of one.
async fn check_methods(
    service: &Service,
    policy: Policy,
    plan: Plan,
    place: usize,
) -> (usize, usize) {
    let change = ["post", "put"][place % 2];
    let n_read = check(service, policy, plan, change, place.is_multiple_of(3)).await;
    // A request without a body ends with its head.
    if matches!(plan.at, Point::AfterHead | Point::InBody) {
        return (1, n_read);
    }
    (2, n_read.max(check(service, policy, plan, "get", place % 3 == 1).await))
}

#[tokio::test]
async fn a_change_and_an_approved_call_are_read_once_at_every_end_of_a_stream() {
    let plan = Plan { at: Point::BeforeRequest, end: End::Fin, is_kept: false };
    let service = Service::start(plan).await;
    let (mut n_cases, mut n_repeated) = (0, 0);
    for (retries, is_approved) in [(false, false), (false, true), (true, false), (true, true)] {
        let policy = Policy { retries, is_approved };
        let both =
            |(place, (at, end))| [false, true].map(|is_kept| (place, Plan { at, end, is_kept }));
        for (place, plan) in plans().into_iter().enumerate().flat_map(both) {
            let (n_made, n_read) = check_methods(&service, policy, plan, place).await;
            n_cases += n_made;
            n_repeated += n_read.saturating_sub(1);
        }
    }
    let (n_plans, n_of_bodies) = (plans().len(), 2 * (8 + 3));
    assert_eq!(n_cases, 4 * 2 * (2 * n_plans - n_of_bodies));
    assert!(n_repeated > 50, "some are repeated: {n_repeated}");
}

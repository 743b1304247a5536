//! A sidecar whose store fails: each way to state × each failure ends as the manual's table says, in time, and without a
//! call that is sent twice. A request that was refused succeeds when it is repeated later.

mod request;
mod store;

use callgate_testkit::{shortest_time, temporary_file};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use axum::{
    body::Bytes,
    extract::State,
    routing::{get, post},
};
use futures_util::future::join_all;
use tokio::time::Instant;

use self::{
    request::{End, Request},
    store::{FailingStore, Failure},
};
use crate::prelude::*;

/// The end of each request while the store is unavailable or never answers, is full, and finds another version.
///
/// `503`: a refusal with `Retry-After`; `later`: a result that was not sent and says so; `local`: a result with a note; `usual`:
/// as with a store that works.
const TABLE: &str = "
show a session => 503 => usual => usual
store a session => 503 => 503 => 412
change a session => 503 => 503 => 412
forget a session => 503 => usual => 412
call in a session => 503 => usual => usual
dry run in a session => 503 => usual => usual
message in a session => 503 => usual => usual
events in a session => 503 => usual => usual
MCP call in a session => later => usual => usual
list approvals => 503 => usual => usual
approve => 503 => usual => used
call to approve => later => later => later
MCP call to approve => later => later => later
request with a key => 503 => 503 => 409
call with a key => later => later => later
cut result => local => local => local
MCP cut result => local => local => local
store a file as a result => local => local => local
show a result => 503 => usual => usual
part of a result => 503 => usual => usual
MCP part of a result => later => usual => usual
call with a handle => later => usual => usual
call => usual => usual => usual
MCP call => usual => usual => usual
list tools => usual => usual => usual
MCP list of tools => usual => usual => usual
search => usual => usual => usual
readiness => usual => usual => usual
health => usual => usual => usual
";

/// The requests that never come to a store.
const STATELESS: [&str; 7] =
    ["call", "MCP call", "list tools", "MCP list of tools", "search", "readiness", "health"];

/// A sidecar before a service that counts what is sent to it.
struct Shop {
    sidecar: Sidecar,
    store: Arc<FailingStore>,
    n_sent: Arc<AtomicUsize>,
    _folder: TempDir,
}

impl Shop {
    async fn open() -> Self {
        let n_sent = Arc::new(AtomicUsize::new(0));
        let order = async |State(count): State<Arc<AtomicUsize>>, body: Bytes| {
            count.fetch_add(1, Ordering::SeqCst);
            format!("{} bytes", body.len())
        };
        let large = async || "a line of a long text\n".repeat(4000);
        let router = Router::new().route("/orders", post(order)).route("/large", get(large));
        let server = callgate_testkit::serve(router.with_state(Arc::clone(&n_sent))).await;
        let (folder, file) = temporary_file("spec.yaml", callgate_testkit::describe(DESCRIPTION));
        let shop = format!("openapi: '{}', server: '{server}'", file.display());
        let text = format!("toolsets: {{shop: {{{shop}}}, asked: {{{shop}, confirm: always}}}}");
        let store = Arc::new(FailingStore::new());
        let environment = Environment::new().with_state(Arc::<FailingStore>::clone(&store));
        let sidecar = Sidecar::with(&text, &environment).await;
        Self { sidecar, store, n_sent, _folder: folder }
    }

    fn n_sent(&self) -> usize {
        self.n_sent.swap(0, Ordering::SeqCst)
    }
}

/// The rows of the table: the name of a request and its end with one of the failures.
fn rows(failure: Failure) -> Vec<(&'static str, &'static str)> {
    let column = match failure {
        Failure::Stalled | Failure::Unavailable => 1,
        Failure::Full => 2,
        Failure::Conflict | Failure::None => 3,
    };
    let cells = TABLE.trim().lines().map(|row| row.split(" => ").collect::<Vec<_>>());
    cells.map(|cells| (cells[0], cells[column])).collect()
}

/// Checks the table for a failure, and that every request ends in time.
async fn check(failure: Failure) {
    let took = shortest_time(LONGEST, || hold(failure)).await;
    assert!(took <= LONGEST, "{failure:?}: {took:?}");
}

/// Checks the ends of all requests during a failure and after it. Returns the time of the request that took longest.
async fn hold(failure: Failure) -> Duration {
    let shop = Shop::open().await;
    let rows = rows(failure);
    let requests = join_all(rows.iter().map(|(name, _)| Request::prepared(&shop, name))).await;
    let usual = requests.iter().zip(&rows).filter(|(request, (_, end))| {
        // The others have sent nothing.
        request.sends && ["usual", "local"].contains(end)
    });
    let n_usual = usual.count();
    shop.n_sent();
    shop.store.fail(failure);
    let ends = join_all(requests.iter().map(|request| request.timed(&shop))).await;
    for ((name, expected), (end, _)) in rows.iter().zip(&ends) {
        assert_eq!(end.as_str(), *expected, "{name}, {failure:?}: {}", end.answered.text);
    }
    assert_eq!(shop.n_sent(), n_usual, "{failure:?}: a refused call was sent");

    shop.store.fail(Failure::None);
    // A store that did not answer is tried again after a second.
    while requests[0].timed(&shop).await.0.as_str() == "503" {}
    let names = rows.iter().map(|(name, _)| *name);
    let failed = requests.iter().zip(names).zip(ends.iter().map(|(end, _)| end));
    check_after_failure(&shop, failed, failure).await;
    ends.iter().map(|(_, took)| *took).max().unwrap()
}

/// Checks that each request that a failure refused ends as usual after it, and that each handle still leads to its result.
async fn check_after_failure<'r>(
    shop: &Shop,
    failed: impl Iterator<Item = ((&'r Request, &'r str), &'r End)>,
    failure: Failure,
) {
    for ((request, name), was) in failed {
        if ["503", "409", "412", "later"].contains(&was.as_str()) {
            let (end, _) = request.timed(shop).await;
            let is_fine = ["usual", "pending"].contains(&end.as_str());
            assert!(is_fine, "{name} after {failure:?}: {}: {}", end.as_str(), end.answered.text);
        }
        if let Some(handle) = was.handle() {
            let kept = shop.sidecar.get(&format!("/v1/results/{handle}")).await;
            assert_eq!(kept.status, 200, "{name} after {failure:?}: {}", kept.text);
        }
    }
}

#[tokio::test]
async fn each_way_to_a_store_that_refuses_ends_as_its_kind_of_record_says() {
    check(Failure::Unavailable).await;
}

#[tokio::test]
async fn each_way_to_a_store_that_never_answers_ends_in_time() {
    check(Failure::Stalled).await;
}

#[tokio::test]
async fn each_way_to_a_full_store_ends_as_its_kind_of_record_says() {
    check(Failure::Full).await;
}

#[tokio::test]
async fn each_way_to_a_record_in_another_version_ends_as_its_kind_of_record_says() {
    check(Failure::Conflict).await;
}

#[tokio::test]
async fn a_request_whose_store_fails_on_the_way_never_hides_a_call_that_was_sent() {
    let failures = [Failure::Unavailable, Failure::Full, Failure::Conflict];
    for (failure, n_served) in failures.iter().flat_map(|it| (1..=4).map(move |n| (*it, n))) {
        let shop = Shop::open().await;
        for (name, _) in rows(failure) {
            let request = Request::prepared(&shop, name).await;
            shop.n_sent();
            shop.store.fail_after(n_served, failure);
            let (end, _) = request.timed(&shop).await;
            shop.store.fail(Failure::None);
            let (word, n_sent) = (end.as_str(), shop.n_sent());
            let is_true = match word {
                "usual" | "local" => n_sent == usize::from(request.sends),
                "503" | "409" | "412" | "later" | "pending" | "used" => n_sent == 0,
                _ => false,
            };
            let text = &end.answered.text;
            assert!(is_true, "{name}, {failure:?} after {n_served}: {n_sent} {word}: {text}");
        }
    }
}

#[tokio::test]
async fn a_request_that_needs_no_state_never_asks_the_store() {
    let shop = Shop::open().await;
    for name in STATELESS {
        let request = Request::prepared(&shop, name).await;
        shop.store.n_requests();
        let (end, _) = request.timed(&shop).await;
        assert_eq!((end.as_str(), shop.store.n_requests()), ("usual", 0), "{name}");
    }
}

/// The time limit of the calls, 1 s, and 1 s more.
const LONGEST: Duration = Duration::from_secs(2);

const DESCRIPTION: &str = "
paths:
  /orders:
    post:
      operationId: order
      parameters: [{name: owner, in: query, schema: {type: string, x-agent-input-parameter: owner}}]
      requestBody: {content: {application/octet-stream: {}}}
      responses: {'200': {description: made, content: {text/plain: {}}}}
  /large: {get: {operationId: large, responses: {'200': {description: a text, content: {text/plain: {}}}}}}
";

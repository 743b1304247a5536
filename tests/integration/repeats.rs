//! Endings of a connection × methods × `retry` × keys × approvals, counted at the service: a request that may have been executed
//! goes again only if it is a read, and one that a person approved never does.

mod frames;
mod http2;

use crate::prelude::*;
use callgate_testkit::{BreakPoint, Breaking, Close, Plan};

const DESCRIPTION: &str = "
paths:
  /first:
    get: { operationId: first, responses: { 200: { description: ok } } }
  /a:
    get: { operationId: get, responses: { 200: { description: ok } } }
    head: { operationId: head, responses: { 200: { description: ok } } }
    delete: { operationId: delete, responses: { 200: { description: ok } } }
    put: { operationId: put, requestBody: &body { required: true, content: { application/json: { schema: { type: object, properties: { text: { type: string } } } } } }, responses: { 200: { description: ok } } }
    post: { operationId: post, requestBody: *body, responses: { 200: { description: ok } } }
    patch: { operationId: patch, requestBody: *body, responses: { 200: { description: ok } } }
";

/// The tools, and whether their requests change nothing.
const TOOLS: [(&str, bool); 6] = [
    ("get", true),
    ("head", true),
    ("delete", false),
    ("put", false),
    ("post", false),
    ("patch", false),
];

/// The attempts of a call that `retry` repeats.
const ATTEMPTS: usize = 2;

/// What surrounds the calls of one executor.
#[derive(Clone, Copy, Debug)]
struct Policy {
    retries: bool,
    is_approved: bool,
}

impl Policy {
    fn executor(self, service: &Breaking) -> Executor {
        target::executor(DESCRIPTION, &service.origin, &self.settings(""))
    }

    /// The settings of a toolset, and more of them.
    fn settings(self, more: &str) -> String {
        let when = if self.retries { "safe" } else { "none" };
        let confirm = if self.is_approved { "always" } else { "never" };
        format!(
            "retry: {{when: {when}, attempts: {ATTEMPTS}, wait: 1ms}}\nconfirm: {{default: {confirm}, tools: {{first: never}}}}\n{more}"
        )
    }

    /// The most requests of which the service may read a byte.
    fn most(self, plan: Plan, (tool, is_read): (&str, bool)) -> usize {
        if self.is_approved || !is_read || plan.at == BreakPoint::BeforeRequest {
            return 1;
        }
        // A response to HEAD ends with its head.
        let is_answered = plan.at == BreakPoint::InResponseBody && tool != "head";
        let closes_kept = plan.is_kept && !is_answered;
        1 + usize::from(closes_kept) + if self.retries { ATTEMPTS - 1 } else { 0 }
    }
}

fn plans() -> impl Iterator<Item = Plan> {
    let ways = [Close::Fin, Close::Reset].into_iter().flat_map(|way| [(way, false), (way, true)]);
    let of = move |at| ways.clone().map(move |(close, is_kept)| Plan { at, close, is_kept });
    BreakPoint::ALL.into_iter().flat_map(of)
}

/// Makes a call, and approves it if it waits.
async fn make_call(executor: &Executor, tool: &ToolCall, key: Option<&str>) -> ToolResult {
    let session = Session::default();
    let call = || {
        let call = Call::new(tool, &session);
        key.into_iter().fold(call, |call, key| call.with_extension(IdempotencyKey(key.to_owned())))
    };
    let result = executor.call_with(call()).await;
    let Outcome::Pending(pending) = &result.outcome else { return result };
    executor.call_with(call().with_decision(&pending.id, Decision::Approve)).await
}

fn has_repetition(journal: &Journal) -> bool {
    let is_repetition = |event: &Event| matches!(event, Event::Retried { .. } | Event::SentAgain);
    journal.events().iter().any(is_repetition)
}

/// One call under a plan; returns the number of requests of which the service read a byte.
async fn check(
    (executor, service): (&Executor, &Breaking),
    (policy, plan): (Policy, Plan),
    (name, is_read): (&str, bool),
    key: Option<&str>,
) -> usize {
    service.go_by(plan);
    if plan.is_kept {
        executor.call(&asked("first", json!({})), &Session::default()).await;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    let has_body = ["put", "post", "patch"].contains(&name);
    let arguments = if has_body { json!({"body": {"text": "x".repeat(1000)}}) } else { json!({}) };
    let tool = asked(name, arguments);
    let result = make_call(executor, &tool, key).await;
    let n_read = service.n_read();
    let case = format!("{} {policy:?} {plan:?} {key:?}: {n_read} {result:?}", tool.tool);
    assert!(n_read <= policy.most(plan, (name, is_read)), "{case}");
    assert!(n_read <= 1 || has_repetition(&result.journal), "{case}");
    let Outcome::Failed(fault) = &result.outcome else {
        assert!(plan.at == BreakPoint::BeforeRequest && plan.is_kept && n_read == 1, "{case}");
        return n_read;
    };
    if plan.at != BreakPoint::BeforeRequest {
        assert_eq!((n_read > 0, fault.reached), (true, Reached::Maybe), "{case}");
    }
    if key.is_some() && fault.reached == Reached::Maybe {
        let again = make_call(executor, &tool, key).await;
        assert_eq!((service.n_read(), again.outcome), (n_read, result.outcome), "{case}");
    }
    n_read
}

/// Checks each tool with and without a key. Returns the number of cases, and of repeated requests.
async fn check_tools(with: (&Executor, &Breaking), policy: Policy, plan: Plan) -> (usize, usize) {
    let cases = TOOLS.into_iter().flat_map(|tool| [(tool, false), (tool, true)]);
    let (mut n_cases, mut n_repeated) = (0, 0);
    for (tool, has_key) in cases {
        let key = has_key.then(|| format!("key-{policy:?}-{plan:?}-{n_cases}"));
        let n_read = check(with, (policy, plan), tool, key.as_deref()).await;
        n_repeated += n_read.saturating_sub(1);
        n_cases += 1;
    }
    (n_cases, n_repeated)
}

#[tokio::test]
async fn a_change_and_an_approved_call_are_read_once_at_every_end_of_a_connection() {
    let plan = Plan { at: BreakPoint::AfterRequest, close: Close::Fin, is_kept: false };
    let (mut n_cases, mut n_repeated) = (0, 0);
    for (retries, is_approved) in [(false, false), (false, true), (true, false), (true, true)] {
        let (policy, service) = (Policy { retries, is_approved }, Breaking::start(plan).await);
        for plan in plans() {
            // Each plan has an executor of its own, since retries have a budget.
            let executor = policy.executor(&service);
            let counts = check_tools((&executor, &service), policy, plan).await;
            n_cases += counts.0;
            n_repeated += counts.1;
        }
    }
    assert_eq!(n_cases, 4 * 24 * 12);
    assert!(n_repeated > 50, "reads are repeated: {n_repeated}");
}

#[tokio::test]
async fn an_approved_call_whose_token_is_refused_is_not_sent_with_a_fresh_one() {
    for (confirm, n_expected) in [("never", 2), ("always", 1)] {
        let n_calls = Arc::<AtomicUsize>::default();
        let origin = serve(refusing_tokens(Arc::clone(&n_calls))).await;
        let settings = format!(
            "confirm: {confirm}\nauth: {{oauth2_client_credentials: {{token_url: '{origin}/token', client_id: 'literal:id', client_secret: 'literal:secret-0123'}}}}"
        );
        let executor = target::executor(DESCRIPTION, &origin, &settings);
        let result = make_call(&executor, &asked("delete", json!({})), None).await;
        let Outcome::Failed(fault) = &result.outcome else { panic!("{result:?}") };
        assert_eq!(n_calls.load(Ordering::SeqCst), n_expected, "{result:?}");
        assert_eq!(fault.code, FaultCode::AuthFailed, "{result:?}");
        assert_eq!(fault.message.contains("approved"), confirm == "always", "{fault:?}");
    }
}

/// A service that gives tokens, refuses each, and counts the calls.
fn refusing_tokens(n_calls: Arc<AtomicUsize>) -> Router {
    let token =
        serde_json::json!({"access_token": "t", "token_type": "Bearer", "expires_in": 3600});
    let refusal = [("www-authenticate", "Bearer error=\"invalid_token\"")];
    Router::new().route("/token", post(|| async { Json(token) })).fallback(move || {
        n_calls.fetch_add(1, Ordering::SeqCst);
        async move { (StatusCode::UNAUTHORIZED, refusal) }
    })
}

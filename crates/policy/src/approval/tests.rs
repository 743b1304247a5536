//! Tests of the calls that need an approval, and of every reason why a decision does not apply to a call.

mod equal;
mod interleavings;
mod listing;
mod others;
mod reviewed;
mod unanswered;

use std::sync::atomic::{AtomicUsize, Ordering};

use callgate_executor::{ClientFunction, Decided, Decision, Executor, TraceContext};
use callgate_tool::{
    Arguments, Effect, FaultCode, Next, Object, PlannedRequest, Preview, Principal, Schema,
    Session, Tool, ToolCall, ToolName, Value, json,
};

use super::*;

/// A tool whose request holds an argument, a session value, a credential and the trace.
#[derive(Debug)]
struct Sender {
    tool: Tool,
    toolset: &'static str,
    method: &'static str,
    server: &'static str,
    n_sent: Arc<AtomicUsize>,
}

#[async_trait]
impl Backend for Sender {
    callgate_executor::of_tool!(tool, toolset);

    fn can_call_tools(&self) -> bool {
        true
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        journal.note(Event::DefaultUsed { argument: "limit".to_owned() });
        let argument = call.arguments().get("name").and_then(Value::as_str);
        let Some(name) = argument else {
            let fault = Fault::new(FaultCode::InvalidArguments, "no name", Next::CorrectArguments);
            return Err(Box::new(fault));
        };
        let tenant = call.session().parameter("tenant").and_then(Value::as_str).unwrap_or("none");
        let mut headers = vec![("authorization".to_owned(), "****".to_owned())];
        headers.extend(call.trace().map(|it| ("traceparent".to_owned(), it.to_string())));
        Ok(Preview::Request(PlannedRequest {
            method: self.method.to_owned(),
            url: format!("https://{}/{tenant}", self.server),
            headers,
            body: Some(json!({ "name": name }).to_string()),
            curl: "curl".to_owned(),
        }))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        match self.preview(call, journal).await {
            Ok(_) => Value::from(self.n_sent.fetch_add(1, Ordering::Relaxed) as u64 + 1).into(),
            Err(fault) => Outcome::Failed(fault),
        }
    }
}

/// An executor whose calls of `put` need an approval.
struct Desk {
    executor: Executor,
    approvals: Approvals,
    n_sent: Arc<AtomicUsize>,
}

fn rules(confirm: Confirm) -> ApprovalRules {
    let toolsets = [("pets".to_owned(), confirm)].into_iter().collect();
    ApprovalRules { toolsets, ..ApprovalRules::default() }
}

fn sender(name: &str, (method, effect): (&'static str, Effect), server: &'static str) -> Sender {
    let (name, schema) = (ToolName::new(name).unwrap(), Schema::new(json!({"type": "object"})));
    let tool = Tool::new(name, "Sends".to_owned(), schema, effect);
    Sender { tool, toolset: "pets", method, server, n_sent: Arc::default() }
}

impl Desk {
    fn new() -> Self {
        Self::of(Approvals::new(rules(Confirm::Writes)), "api.example.com")
    }

    fn of(approvals: Approvals, server: &'static str) -> Self {
        Self::counted(approvals, server, Arc::default())
    }

    /// One that goes on counting the requests of another.
    fn counted(approvals: Approvals, server: &'static str, n_sent: Arc<AtomicUsize>) -> Self {
        let mut put = sender("put", ("PUT", Effect::Idempotent), server);
        put.n_sent = Arc::clone(&n_sent);
        let other = sender("other", ("PUT", Effect::Idempotent), server);
        let builder = Executor::builder().backend(put).backend(other);
        let executor = builder.middleware(approvals.clone()).build().unwrap();
        Self { executor, approvals, n_sent }
    }

    async fn call(&self, (tool, name): (&str, &str), by: &By<'_>) -> Ended {
        let arguments = Arguments::from_iter([("name".to_owned(), Value::from(name))]);
        let asked = ToolCall::new("1", tool, arguments);
        let session = Session::new(by.session);
        let tenant = Object::from_iter([("tenant".to_owned(), Value::from(by.tenant))]);
        let session = session.with_parameters(tenant);
        let mut call = Call::new(&asked, &session).with_principal(Principal::new(by.principal));
        if let Some((id, decision)) = by.decision {
            let decided = Decided::new(id, decision);
            let decided =
                by.decider.map(|name| decided.clone().by(&Principal::new(name))).unwrap_or(decided);
            call = call.with_decided(decided);
        }
        if let Some(id) = by.approval {
            call = call.with_approval(id);
        }
        if let Some(trace) = by.trace {
            call = call.with_trace(TraceContext::parse(trace).unwrap());
        }
        let result = self.executor.call_with(call).await;
        match result.outcome {
            Outcome::Pending(pending) => Ended::Asked(pending, result.journal),
            Outcome::Failed(fault) => Ended::Failed(fault.code, fault.next),
            _ => Ended::Made(result.journal),
        }
    }

    /// The id under which `put` waits.
    async fn asked(&self) -> String {
        match self.call(("put", "Rex"), &KIM).await {
            Ended::Asked(pending, _) => pending.id,
            other => panic!("nobody was asked: {other:?}"),
        }
    }

    /// The first page of everything that waits.
    async fn list(&self, most: usize) -> ApprovalPage {
        let listing = Listing { extent: Extent::All, after: None, most };
        self.approvals.page(&listing, |_| true).await.unwrap()
    }

    fn n_sent(&self) -> usize {
        self.n_sent.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
enum Ended {
    Asked(Box<Pending>, Journal),
    Failed(FaultCode, Next),
    Made(Journal),
}

impl Ended {
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Failed(FaultCode::UnknownApproval, Next::TryLater))
    }

    fn is_being_used(&self) -> bool {
        matches!(self, Self::Failed(FaultCode::StillRunning, Next::TryLater))
    }

    fn is_used(&self) -> bool {
        matches!(self, Self::Failed(FaultCode::OutcomeUnknown, Next::AskUser))
    }
}

/// The caller, its session and its decision.
#[derive(Clone, Copy)]
struct By<'a> {
    principal: &'a str,
    session: &'a str,
    tenant: &'a str,
    decision: Option<(&'a str, Decision)>,
    /// The principal that decided, as the program says.
    decider: Option<&'a str>,
    approval: Option<&'a str>,
    trace: Option<&'a str>,
}

const KIM: By<'_> = By {
    principal: "kim",
    session: "s",
    tenant: "acme",
    decision: None,
    decider: None,
    approval: None,
    trace: None,
};

fn approving(id: &str) -> By<'_> {
    By { decision: Some((id, Decision::Approve)), ..KIM }
}

#[tokio::test]
async fn a_pending_approval_shows_the_request_without_credentials_and_sends_nothing() {
    let desk = Desk::new();
    let Ended::Asked(pending, journal) = desk.call(("put", "Rex"), &KIM).await else {
        panic!("nobody was asked")
    };
    let request = json!({
        "method": "PUT",
        "url": "https://api.example.com/acme",
        "headers": {"authorization": "****"},
        "body": "{\"name\":\"Rex\"}",
    });
    assert_eq!((pending.kind, &pending.request), (PendingKind::Approval, &request));
    let left = pending.expires.unwrap().duration_since(SystemTime::now()).unwrap();
    assert!(left <= APPROVAL_TIME && left > APPROVAL_TIME / 2, "{left:?}");
    assert_eq!(journal.defaults().collect::<Vec<_>>(), ["limit"]);
    assert_eq!(desk.n_sent(), 0);
}

#[tokio::test]
async fn an_approved_call_is_made_once() {
    let desk = Desk::new();
    let id = desk.asked().await;
    let Ended::Made(journal) = desk.call(("put", "Rex"), &approving(&id)).await else {
        panic!("it was not made")
    };
    assert_eq!(journal.events().first(), Some(&Event::Approved));
    assert_eq!(journal.events().len(), 2, "what the preview noted is noted by the call");
    let again = desk.call(("put", "Rex"), &approving(&id)).await;
    assert!(again.is_used(), "{again:?}");
    assert_eq!(desk.n_sent(), 1);
}

#[tokio::test]
async fn of_two_approvals_at_the_same_time_one_makes_the_call() {
    let desk = Desk::new();
    let (id, asked) = (desk.asked().await, ("put", "Rex"));
    let by = approving(&id);
    let both = futures_util::future::join(desk.call(asked, &by), desk.call(asked, &by)).await;
    let both = [both.0, both.1];
    let late = both.iter().filter(|ended| ended.is_being_used() || ended.is_used());
    assert_eq!(late.count(), 1);
    assert_eq!(desk.n_sent(), 1);
}

#[tokio::test]
async fn a_rejected_call_fails_with_ask_user_and_cannot_be_approved_later() {
    let desk = Desk::new();
    let id = desk.asked().await;
    let rejecting = By { decision: Some((&id, Decision::Reject)), ..KIM };
    let ended = desk.call(("put", "Rex"), &rejecting).await;
    assert!(matches!(ended, Ended::Failed(FaultCode::Rejected, Next::AskUser)), "{ended:?}");
    let again = desk.call(("put", "Rex"), &approving(&id)).await;
    assert!(matches!(again, Ended::Failed(FaultCode::Rejected, Next::AskUser)), "{again:?}");
    assert_eq!(desk.n_sent(), 0);
}

#[tokio::test]
async fn an_approval_counts_only_for_its_principal_session_and_tool() {
    let desk = Desk::new();
    let id = desk.asked().await;
    let strangers = [
        ("put", By { principal: "lee", ..approving(&id) }),
        ("put", By { session: "t", ..approving(&id) }),
        ("other", approving(&id)),
        ("put", approving("approval_00")),
        ("put", approving("")),
    ];
    for (tool, by) in &strangers {
        assert!(desk.call((tool, "Rex"), by).await.is_unknown());
    }
    assert_eq!(desk.n_sent(), 0);
    let made = desk.call(("put", "Rex"), &approving(&id)).await;
    assert!(matches!(made, Ended::Made(_)), "a stranger does not use it up: {made:?}");
}

#[tokio::test(start_paused = true)]
async fn an_approval_expires() {
    let desk = Desk::new();
    let (early, late) = (desk.asked().await, desk.asked().await);
    tokio::time::advance(APPROVAL_TIME / 2).await;
    assert!(matches!(desk.call(("put", "Rex"), &approving(&early)).await, Ended::Made(_)));
    tokio::time::advance(APPROVAL_TIME / 2).await;
    assert!(desk.call(("put", "Rex"), &approving(&late)).await.is_unknown());
}

/// Covers other arguments, other session values, and another server after a reload.
#[tokio::test]
async fn a_call_whose_request_differs_from_the_approved_one_needs_a_new_approval() {
    let desk = Desk::new();
    let moved = Desk::of(desk.approvals.with_rules(rules(Confirm::Always)), "elsewhere.example");
    for (number, (at, name, tenant)) in
        [(&desk, "Max", "acme"), (&desk, "Rex", "evil"), (&moved, "Rex", "acme")].iter().enumerate()
    {
        let id = desk.asked().await;
        let by = By { tenant, ..approving(&id) };
        let Ended::Asked(again, journal) = at.call(("put", name), &by).await else {
            panic!("{number}: nobody was asked again")
        };
        assert_eq!(journal.events().first(), Some(&Event::ApprovalOutdated), "{number}");
        assert_ne!(again.id, id);
        assert!(at.call(("put", name), &by).await.is_unknown(), "{number}: it is used up");
        let by = By { tenant, ..approving(&again.id) };
        let ended = at.call(("put", name), &by).await;
        assert!(matches!(ended, Ended::Made(_)), "{number}: {ended:?}");
    }
}

#[tokio::test]
async fn a_pending_approval_survives_a_reload_and_another_trace_context() {
    let desk = Desk::new();
    let id = desk.asked().await;
    let again = Desk::of(desk.approvals.with_rules(rules(Confirm::Writes)), "api.example.com");
    let trace = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let by = By { trace, ..approving(&id) };
    assert!(matches!(again.call(("put", "Rex"), &by).await, Ended::Made(_)));
}

#[tokio::test]
async fn a_call_with_invalid_arguments_fails_without_an_approval() {
    let desk = Desk::new();
    let asked = ToolCall::new("1", "put", Arguments::new());
    let result = desk.executor.call(&asked, &Session::default()).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    assert_eq!(fault.code, FaultCode::InvalidArguments);
}

#[tokio::test]
async fn a_decision_for_a_tool_without_approvals_is_refused_as_unknown() {
    let executor = Executor::builder().backend(sender("put", ("PUT", Effect::Write), "a")).build();
    let (executor, session) = (executor.unwrap(), Session::default());
    let asked = ToolCall::new("1", "put", Arguments::new());
    for decision in [Decision::Approve, Decision::Reject] {
        let call = || Call::new(&asked, &session).with_decision("approval_1", decision);
        let ran = executor.call_with(call()).await.outcome;
        let opened = executor.stream_with(call()).await.into_result().outcome;
        assert_eq!(ran, Outcome::Failed(wording::unknown()));
        assert_eq!(opened, Outcome::Failed(wording::unknown()));
    }
}

fn kind(outcome: &Outcome) -> Option<&'static str> {
    let Outcome::Pending(pending) = outcome else { return None };
    Some(pending.kind.as_str())
}

/// Covers the methods that need an approval, and functions of the client.
#[tokio::test]
async fn each_rule_requires_approval_for_its_class_of_calls() {
    const METHODS: [(&str, Effect); 6] = [
        ("GET", Effect::Read),
        ("HEAD", Effect::Read),
        ("POST", Effect::Write),
        ("PUT", Effect::Idempotent),
        ("PATCH", Effect::Write),
        ("DELETE", Effect::Idempotent),
    ];
    let rows: [(Confirm, &[&str]); 5] = [
        (Confirm::Always, &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "function"]),
        (Confirm::Destructive, &["PUT", "PATCH", "DELETE", "function"]),
        (Confirm::DialogflowV2, &["HEAD", "POST", "PUT", "PATCH", "DELETE", "function"]),
        (Confirm::Never, &[]),
        (Confirm::Writes, &["POST", "PUT", "PATCH", "DELETE", "function"]),
    ];
    for (confirm, expected) in rows {
        let mut builder = Executor::builder().middleware(Approvals::new(rules(confirm)));
        for (method, effect) in METHODS {
            builder = builder.backend(sender(method, (method, effect), "a"));
        }
        let name = ToolName::new("function").unwrap();
        let function = ClientFunction::new(name, "Runs", json!({"type": "object"})).unwrap();
        let executor = builder.backend(function.of_toolset("pets")).build().unwrap();
        let mut asked = Vec::new();
        for (tool, _) in METHODS.into_iter().chain([("function", Effect::Write)]) {
            let arguments = Arguments::from_iter([("name".to_owned(), Value::from("Rex"))]);
            let call = ToolCall::new("1", tool, arguments);
            let result = executor.call(&call, &Session::default()).await;
            asked.extend(kind(&result.outcome).filter(|kind| *kind == "approval").map(|_| tool));
        }
        assert_eq!(asked, expected, "{confirm:?}");
    }
}

#[tokio::test]
async fn the_rule_of_a_tool_wins_over_that_of_its_toolset() {
    let mut rules = rules(Confirm::Always);
    rules.tools.insert(ToolName::new("put").unwrap(), Confirm::Never);
    assert!(!rules.are_empty());
    let desk = Desk::of(Approvals::new(rules), "a");
    assert!(matches!(desk.call(("put", "Rex"), &KIM).await, Ended::Made(_)));
    assert!(matches!(desk.call(("other", "Rex"), &KIM).await, Ended::Asked(..)));
}

//! Programs whose calls need the user's login: they wait until the user has signed in, and send nothing twice.

use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use callgate_code::{CodeSettings, Engine, load_with_store};
use callgate_executor::{AnswersSignIns, Call, Decided, Decision, Function};
use callgate_policy::{ApprovalRules, Approvals, Confirm, Idempotency, IdempotencyKey};
use callgate_secret::Secret;
use callgate_session::Store;
use callgate_tool::{
    Approvers, Effect, Fault, FaultCode, Next, Outcome, Pending, Principal, Session, json,
};
use futures_util::future::OptionFuture;

use crate::{
    pauses::{edit_journals, interrupt},
    shop::{Shop, Test, asked, fault_code, member, memory, result},
};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_program_waits_for_a_sign_in_and_goes_on", Box::pin(a_program_goes_on())),
        ("one_sign_in_goes_on_with_all_calls_that_wait_for_it", Box::pin(calls_wait_together())),
        ("without_a_sign_in_the_call_raises_its_fault_in_the_program", Box::pin(nobody_signs_in())),
        ("a_loop_asks_once_for_a_sign_in_that_does_not_come", Box::pin(a_loop_asks_once())),
        ("nobody_else_goes_on_with_a_program_after_a_sign_in", Box::pin(strangers())),
        ("a_write_interrupted_after_a_sign_in_is_not_repeated", Box::pin(an_interrupted_write())),
        ("a_tool_that_changed_before_the_sign_in_is_not_called", Box::pin(a_tool_has_changed())),
        ("a_sign_in_decides_about_no_approval_that_waits_beside_it", Box::pin(approvals_beside())),
        ("a_covered_call_that_waited_for_a_sign_in_is_asked_about", Box::pin(a_covered_call())),
        ("a_request_under_a_key_is_the_same_after_the_sign_in", Box::pin(under_a_key())),
        ("a_sign_in_that_has_expired_is_asked_for_anew", Box::pin(an_expired_sign_in())),
    ]
}

const LOOP: &str = "sent = []\nfor name in ['a', 'b']:\n    await pets.addPet(name=name)\n    sent.append(await mail.send(to=name))\nsent";
const CATCHES: &str = "try:\n    r = await mail.send(to='a')\nexcept RuntimeError as e:\n    r = fault(e)['code'] + ' ' + fault(e)['reached']\nr";

/// A service that sends mail for users who have signed in, and the processes that call it.
struct Office {
    store: Arc<dyn Store>,
    rules: ApprovalRules,
    per_approval: usize,
    /// The calls for which the token of the user is good.
    n_good: Arc<Mutex<usize>>,
    n_sent: Arc<AtomicUsize>,
    n_added: AtomicUsize,
    hangs: Arc<AtomicBool>,
    has_changed: AtomicBool,
}

/// The word of a caller about a call that waits: a decision, or that the call is made again.
#[derive(Clone, Copy)]
enum Word {
    Decision(Decision),
    Run,
}

const YES: Word = Word::Decision(Decision::Approve);
const NO: Word = Word::Decision(Decision::Reject);

#[derive(Clone, Copy)]
struct Caller {
    principal: &'static str,
    session: &'static str,
    key: Option<&'static str>,
    token: Option<&'static str>,
}

const KIM: Caller = Caller { principal: "kim", session: "s", key: None, token: None };

impl Office {
    fn new() -> Self {
        Self {
            store: memory(),
            rules: ApprovalRules::default(),
            per_approval: 1,
            n_good: Arc::default(),
            n_sent: Arc::default(),
            n_added: AtomicUsize::default(),
            hangs: Arc::default(),
            has_changed: AtomicBool::default(),
        }
    }

    /// An office where a person decides about the writes of a toolset.
    fn asking(toolset: &str, approvers: Approvers) -> Self {
        let mut rules = ApprovalRules { approvers, ..ApprovalRules::default() };
        rules.toolsets.insert(toolset.to_owned(), Confirm::Writes);
        Self { rules, ..Self::new() }
    }

    fn sign_in(&self) {
        self.sign_in_for(100);
    }

    /// Signs the user in with a token that is good for so many calls.
    fn sign_in_for(&self, n_calls: usize) {
        *self.n_good.lock().unwrap() = n_calls;
    }

    fn n_sent(&self) -> usize {
        self.n_sent.load(Ordering::Relaxed)
    }

    fn n_added(&self) -> usize {
        self.n_added.load(Ordering::Relaxed)
    }

    fn approvals(&self) -> Approvals {
        Approvals::over(self.rules.clone(), Arc::clone(&self.store))
    }

    fn process(&self) -> Shop {
        let mut settings = CodeSettings::new("code", Engine::Monty);
        settings.calls.effects = vec![Effect::Read, Effect::Write];
        settings.calls.per_approval = self.per_approval;
        let tool = load_with_store(settings, &self.store).unwrap();
        let (approvals, send) = (self.approvals(), self.send());
        let idempotency = Idempotency::over(Arc::clone(&self.store), Duration::from_mins(1));
        Shop::of_tool(tool, |builder| {
            builder.backend(send).middleware(approvals).middleware(idempotency)
        })
    }

    fn send(&self) -> Function {
        let member = if self.has_changed.load(Ordering::Relaxed) { "subject" } else { "text" };
        let members = json!({"to": {"type": "string"}, (member): {"type": "string"}});
        let schema = json!({"type": "object", "properties": members});
        let (n_good, n_sent) = (Arc::clone(&self.n_good), Arc::clone(&self.n_sent));
        let hangs = Arc::clone(&self.hangs);
        let send = Function::new("mail", "send", schema, move |call| {
            let mut n_good = n_good.lock().unwrap();
            let is_signed_in = *n_good > 0;
            *n_good = n_good.saturating_sub(1);
            n_sent.fetch_add(usize::from(is_signed_in), Ordering::Relaxed);
            let hangs = is_signed_in && hangs.load(Ordering::Relaxed);
            let to = call.arguments()["to"].clone();
            async move {
                OptionFuture::from(hangs.then(pending::<()>)).await;
                let message = "no token of the user, nothing was sent";
                let fault = Fault::new(FaultCode::SignInRequired, message, Next::AskUser);
                Some(to).filter(|_| is_signed_in).ok_or(fault)
            }
        });
        send.unwrap()
    }

    /// Runs a program in a process of its own, or goes on with it.
    async fn run(&self, code: &str, answer: Option<(&str, Word)>) -> Outcome {
        self.run_by(KIM, code, answer).await
    }

    async fn run_by(&self, caller: Caller, code: &str, answer: Option<(&str, Word)>) -> Outcome {
        let session = Session::new(caller.session);
        let session = caller.token.into_iter().fold(session, |session, token| {
            session.with_credential("me", Secret::new(token.to_owned()))
        });
        let asked = asked(code);
        let call = Call::new(&asked, &session).with_extension(AnswersSignIns);
        let call = call.with_principal(Principal::new(caller.principal));
        let call = caller
            .key
            .into_iter()
            .fold(call, |call, key| call.with_extension(IdempotencyKey(key.to_owned())));
        let call = match answer {
            None => call,
            Some((pending, Word::Decision(decision))) => call.with_decision(pending, decision),
            Some((pending, Word::Run)) => call.with_approval(pending),
        };
        let shop = self.process();
        let outcome = shop.executor.call_with(call).await.outcome;
        let n_added = shop.traffic.n_writes.load(Ordering::Relaxed);
        self.n_added.fetch_add(n_added, Ordering::Relaxed);
        outcome
    }
}

#[track_caller]
fn waiting(outcome: Outcome) -> Box<Pending> {
    let Outcome::Pending(pending) = outcome else { panic!("{outcome:?}") };
    assert!(pending.is_of_program() && pending.id.starts_with(Pending::SIGN_IN), "{pending:?}");
    assert_eq!(pending.request["sign_in"]["code"], "sign_in_required");
    pending
}

/// The approval for which a program waits.
#[track_caller]
fn approval(outcome: Outcome) -> Box<Pending> {
    let Outcome::Pending(pending) = outcome else { panic!("{outcome:?}") };
    assert!(pending.id.starts_with("approval_"), "{pending:?}");
    pending
}

async fn a_program_goes_on() {
    let office = Office::new();
    let first = waiting(office.run(LOOP, None).await);
    let program = &first.request["program"];
    assert_eq!((&program["call"], &program["lines"]), (&json!(2), &json!([4])));
    assert_eq!(program["waiting"][0]["id"], &*first.id);
    assert!(first.request["text"].as_str().unwrap().contains("mail-send"), "{first:?}");
    let still = waiting(office.run(LOOP, Some((&first.id, Word::Run))).await);
    assert_eq!(still.id, first.id, "the user has not signed in");
    office.sign_in();
    let outcome = office.run(LOOP, Some((&first.id, YES))).await;
    assert_eq!(result(&outcome), r#"["a","b"]"#);
    assert_eq!((office.n_added(), office.n_sent()), (2, 2));
    // The answer was lost, and the call is made again.
    let again = office.run(LOOP, Some((&first.id, Word::Run))).await;
    assert_eq!(result(&again), r#"["a","b"]"#);
    assert_eq!((office.n_added(), office.n_sent()), (2, 2));
}

async fn calls_wait_together() {
    let office = Office::new();
    let code =
        "import asyncio\nawait asyncio.gather(*[mail.send(to=to) for to in ['a', 'b', 'c']])";
    let first = waiting(office.run(code, None).await);
    assert_eq!(first.request["program"]["waiting"].as_array().unwrap().len(), 3);
    office.sign_in();
    let outcome = office.run(code, Some((&first.id, Word::Run))).await;
    assert_eq!(result(&outcome), r#"["a","b","c"]"#);
    assert_eq!(office.n_sent(), 3);
}

async fn nobody_signs_in() {
    for word in [YES, NO] {
        let office = Office::new();
        let pending = waiting(office.run(CATCHES, None).await);
        let outcome = office.run(CATCHES, Some((&pending.id, word))).await;
        assert_eq!(result(&outcome), "sign_in_required no");
        assert_eq!(office.n_sent(), 0);
    }
    // A caller that brings no answers gets the exception at once.
    let shop = Office::new().process();
    let outcome = shop.executor.call(&asked(CATCHES), &Session::default()).await.outcome;
    assert_eq!(result(&outcome), "sign_in_required no");
}

async fn a_loop_asks_once() {
    let code = "codes = []\nfor name in ['a', 'b', 'c']:\n    try:\n        codes.append(await mail.send(to=name))\n    except RuntimeError as e:\n        codes.append(fault(e)['code'])\ncodes";
    for word in [YES, NO] {
        let office = Office::new();
        let pending = waiting(office.run(code, None).await);
        let outcome = office.run(code, Some((&pending.id, word))).await;
        let codes = r#"["sign_in_required","sign_in_required","sign_in_required"]"#;
        assert_eq!((result(&outcome).as_str(), office.n_sent()), (codes, 0));
    }
}

async fn strangers() {
    let office = Office::new();
    let first = waiting(office.run(LOOP, None).await);
    office.sign_in();
    let (lee, other) = (Caller { principal: "lee", ..KIM }, Caller { session: "other", ..KIM });
    for (caller, id) in [(lee, &*first.id), (other, &*first.id), (KIM, "sign_in_0")] {
        for word in [YES, NO, Word::Run] {
            let outcome = office.run_by(caller, LOOP, Some((id, word))).await;
            assert_eq!(fault_code(outcome), FaultCode::UnknownApproval);
        }
    }
    assert_eq!((office.n_added(), office.n_sent()), (1, 0));
}

async fn an_interrupted_write() {
    let office = Office::new();
    let first = waiting(office.run(CATCHES, None).await);
    office.sign_in();
    office.hangs.store(true, Ordering::Relaxed);
    interrupt(office.run(CATCHES, Some((&first.id, YES))), || office.n_sent() > 0).await;
    assert_eq!(office.n_sent(), 1);
    office.hangs.store(false, Ordering::Relaxed);
    let outcome = office.run(CATCHES, Some((&first.id, YES))).await;
    assert_eq!(result(&outcome), "outcome_unknown maybe");
    assert_eq!(office.n_sent(), 1);
}

async fn a_tool_has_changed() {
    let office = Office::new();
    let first = waiting(office.run(LOOP, None).await);
    office.sign_in();
    office.has_changed.store(true, Ordering::Relaxed);
    let outcome = office.run(LOOP, Some((&first.id, YES))).await;
    let error = member(&outcome, "execution_error");
    assert!(error.starts_with("stale: the tool `mail-send` has changed"), "{error}");
    assert!(error.contains("writes already made: `pets-addPet` (call 1)"), "{error}");
    assert_eq!((office.n_added(), office.n_sent()), (1, 0));
}

/// The sign-in is for the caller to decide about, and the approval for whom the rules name, in any order and under any key.
async fn approvals_beside() {
    let code = "import asyncio\nr = await asyncio.gather(pets.addPet(name='a'), mail.send(to='b'))\n[r[0]['added'], r[1]]";
    let rows = [
        (Approvers::Caller, None),
        (Approvers::Caller, Some("order-1")),
        (Approvers::Others, None),
    ];
    for (approvers, key) in rows {
        let office = Office::asking("pets", approvers);
        let caller = Caller { key, ..KIM };
        let first = approval(office.run_by(caller, code, None).await);
        let waiting = first.request["program"]["waiting"].as_array().unwrap();
        let sign_in = waiting[1]["id"].as_str().unwrap();
        assert!(sign_in.starts_with(Pending::SIGN_IN), "{first:?}");
        office.sign_in();
        let still = approval(office.run_by(caller, code, Some((sign_in, YES))).await);
        assert_eq!((&still.id, office.n_added(), office.n_sent()), (&first.id, 0, 1));
        let is_of_others = approvers == Approvers::Others;
        if is_of_others {
            let own = office.run_by(caller, code, Some((&first.id, YES))).await;
            assert_eq!((fault_code(own), office.n_added()), (FaultCode::NeedsApproval, 0));
            let decided = Decided::new(&*first.id, Decision::Approve).by(&Principal::new("lee"));
            office.approvals().decide(&decided, |_| true, None).await.unwrap();
        }
        let word = if is_of_others { Word::Run } else { YES };
        let outcome = office.run_by(caller, code, Some((&first.id, word))).await;
        assert_eq!(result(&outcome), r#"[true,"b"]"#);
        assert_eq!((office.n_added(), office.n_sent()), (1, 1));
    }
}

async fn a_covered_call() {
    let code = "for name in ['a', 'b', 'c']:\n    await mail.send(to=name)";
    let office = Office { per_approval: 3, ..Office::asking("mail", Approvers::Caller) };
    let first = approval(office.run(code, None).await);
    office.sign_in_for(1);
    let second = waiting(office.run(code, Some((&first.id, YES))).await);
    assert_eq!((&second.request["program"]["call"], office.n_sent()), (&json!(2), 1));
    office.sign_in();
    let third = approval(office.run(code, Some((&second.id, YES))).await);
    assert_eq!((&third.request["program"]["call"], office.n_sent()), (&json!(2), 1));
    let outcome = office.run(code, Some((&third.id, YES))).await;
    assert_eq!((member(&outcome, "execution_error").as_str(), office.n_sent()), ("", 3));
}

/// The sidecar makes the call after a sign-in without its key; the request may come again under it, with the new token.
async fn under_a_key() {
    let office = Office::new();
    let keyed = Caller { key: Some("order-1"), ..KIM };
    let first = waiting(office.run_by(keyed, LOOP, None).await);
    office.sign_in();
    let with_token = Caller { token: Some("token-of-kim"), ..KIM };
    let ended = office.run_by(with_token, LOOP, Some((&first.id, YES))).await;
    let signed_in = Caller { token: Some("token-of-kim"), ..keyed };
    for _ in 0..2 {
        assert_eq!(result(&office.run_by(signed_in, LOOP, None).await), result(&ended));
    }
    for caller in [keyed, Caller { session: "other", ..signed_in }] {
        let refused = office.run_by(caller, LOOP, None).await;
        assert_eq!(fault_code(refused), FaultCode::KeyReused);
    }
    assert_eq!((office.n_added(), office.n_sent()), (2, 2));
}

async fn an_expired_sign_in() {
    let office = Office::new();
    let first = waiting(office.run(LOOP, None).await);
    let expires = first.expires.unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    edit_journals(&office.store, &expires.to_string(), "1").await;
    let second = waiting(office.run(LOOP, Some((&first.id, Word::Run))).await);
    assert_ne!(second.id, first.id);
    assert!(second.expires.unwrap() > SystemTime::now());
    office.sign_in();
    let outcome = office.run(LOOP, Some((&second.id, YES))).await;
    assert_eq!(result(&outcome), r#"["a","b"]"#);
    assert_eq!((office.n_added(), office.n_sent()), (2, 2));
}

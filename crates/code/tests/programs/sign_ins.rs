//! Programs whose calls need the user's login: they wait until the user has signed in, and send nothing twice.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use callgate_code::{CodeSettings, Engine, load_over};
use callgate_executor::{AnswersSignIns, Call, Decision, Function};
use callgate_policy::{ApprovalRules, Approvals};
use callgate_session::{Bounds, Memory, Store};
use callgate_tool::{
    Arguments, Content, Effect, Fault, FaultCode, Next, Outcome, Pending, Session, ToolCall, json,
};

use crate::shop::{Shop, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_program_waits_for_a_sign_in_and_goes_on", Box::pin(a_program_goes_on())),
        ("one_sign_in_goes_on_with_all_calls_that_wait_for_it", Box::pin(calls_wait_together())),
        ("without_a_sign_in_the_call_raises_its_fault_in_the_program", Box::pin(nobody_signs_in())),
    ]
}

const LOOP: &str = "sent = []\nfor name in ['a', 'b']:\n    await pets.addPet(name=name)\n    sent.append(await mail.send(to=name))\nsent";
const CATCHES: &str =
    "try:\n    r = await mail.send(to='a')\nexcept RuntimeError as e:\n    r = fault(e)['code']\nr";

/// A service that sends mail for users who have signed in, and the processes that call it.
struct Office {
    store: Arc<dyn Store>,
    is_signed_in: Arc<AtomicBool>,
    n_sent: Arc<AtomicUsize>,
    n_added: AtomicUsize,
}

/// The word of a caller about a call that waits.
enum Word {
    Decision(Decision),
    /// The call is made again, and nobody has decided.
    Run,
}

impl Office {
    fn new() -> Self {
        Self {
            store: Arc::new(Memory::new(Bounds { records: 1000, bytes: 64 << 20 })),
            is_signed_in: Arc::default(),
            n_sent: Arc::default(),
            n_added: AtomicUsize::default(),
        }
    }

    fn sign_in(&self) {
        self.is_signed_in.store(true, Ordering::Relaxed);
    }

    fn process(&self) -> Shop {
        let mut settings = CodeSettings::new("code", Engine::Monty);
        settings.calls.effects = vec![Effect::Read, Effect::Write];
        let tool = load_over(settings, &self.store).unwrap();
        let schema = json!({"type": "object", "properties": {"to": {"type": "string"}}});
        let (is_signed_in, n_sent) = (Arc::clone(&self.is_signed_in), Arc::clone(&self.n_sent));
        let send = Function::new("mail", "send", schema, move |call| {
            let is_signed_in = is_signed_in.load(Ordering::Relaxed);
            n_sent.fetch_add(usize::from(is_signed_in), Ordering::Relaxed);
            let to = call.arguments()["to"].clone();
            async move {
                let message = "no token of the user, nothing was sent";
                let fault = Fault::new(FaultCode::SignInRequired, message, Next::AskUser);
                Some(to).filter(|_| is_signed_in).ok_or(fault)
            }
        });
        let approvals = Approvals::over(ApprovalRules::default(), Arc::clone(&self.store));
        let send = send.unwrap();
        Shop::of_tool(tool, |builder| builder.backend(send).middleware(approvals))
    }

    /// Runs a program in a process of its own, or goes on with it.
    async fn run(&self, code: &str, answer: Option<(&Pending, Word)>) -> Outcome {
        let session = Session::default();
        let asked = asked(code);
        let call = Call::new(&asked, &session).with_extension(AnswersSignIns);
        let call = match answer {
            None => call,
            Some((pending, Word::Decision(decision))) => call.with_decision(&*pending.id, decision),
            Some((pending, Word::Run)) => call.with_approval(&*pending.id),
        };
        let shop = self.process();
        let outcome = shop.executor.call_with(call).await.outcome;
        let n_added = shop.traffic.n_writes.load(Ordering::Relaxed);
        self.n_added.fetch_add(n_added, Ordering::Relaxed);
        outcome
    }
}

fn asked(code: &str) -> ToolCall {
    ToolCall::new("1", "code-generate_and_execute", Arguments::from([("input", code.into())]))
}

#[track_caller]
fn waiting(outcome: Outcome) -> Box<Pending> {
    let Outcome::Pending(pending) = outcome else { panic!("{outcome:?}") };
    assert!(pending.is_of_program() && pending.id.starts_with(Pending::SIGN_IN), "{pending:?}");
    assert_eq!(pending.request["sign_in"]["code"], "sign_in_required");
    pending
}

#[track_caller]
fn result(outcome: &Outcome) -> String {
    let Outcome::Answered(answer) = outcome else { panic!("{outcome:?}") };
    let Content::Json(json) = &answer.content else { panic!("{outcome:?}") };
    json.value()["execution_result"].as_str().unwrap().to_owned()
}

async fn a_program_goes_on() {
    let office = Office::new();
    let first = waiting(office.run(LOOP, None).await);
    let program = &first.request["program"];
    assert_eq!((&program["call"], &program["lines"]), (&json!(2), &json!([4])));
    assert_eq!(program["waiting"][0]["id"], &*first.id);
    assert!(first.request["text"].as_str().unwrap().contains("mail-send"), "{first:?}");
    let still = waiting(office.run(LOOP, Some((&first, Word::Run))).await);
    assert_eq!(still.id, first.id, "the user has not signed in");
    office.sign_in();
    let approved = Word::Decision(Decision::Approve);
    let outcome = office.run(LOOP, Some((&first, approved))).await;
    assert_eq!(result(&outcome), r#"["a","b"]"#);
    assert_eq!(office.n_added.load(Ordering::Relaxed), 2);
    assert_eq!(office.n_sent.load(Ordering::Relaxed), 2);
    // The answer was lost, and the call is made again.
    let again = office.run(LOOP, Some((&first, Word::Run))).await;
    assert_eq!(result(&again), r#"["a","b"]"#);
    assert_eq!(office.n_sent.load(Ordering::Relaxed), 2);
}

async fn calls_wait_together() {
    let office = Office::new();
    let code =
        "import asyncio\nawait asyncio.gather(*[mail.send(to=to) for to in ['a', 'b', 'c']])";
    let first = waiting(office.run(code, None).await);
    assert_eq!(first.request["program"]["waiting"].as_array().unwrap().len(), 3);
    office.sign_in();
    let outcome = office.run(code, Some((&first, Word::Run))).await;
    assert_eq!(result(&outcome), r#"["a","b","c"]"#);
    assert_eq!(office.n_sent.load(Ordering::Relaxed), 3);
}

async fn nobody_signs_in() {
    for decision in [Decision::Approve, Decision::Reject] {
        let office = Office::new();
        let pending = waiting(office.run(CATCHES, None).await);
        let outcome = office.run(CATCHES, Some((&pending, Word::Decision(decision)))).await;
        assert_eq!(result(&outcome), "sign_in_required", "{decision:?}");
        assert_eq!(office.n_sent.load(Ordering::Relaxed), 0);
    }
    // A caller that brings no answers gets the exception at once.
    let shop = Office::new().process();
    let outcome = shop.executor.call(&asked(CATCHES), &Session::default()).await.outcome;
    assert_eq!(result(&outcome), "sign_in_required");
}

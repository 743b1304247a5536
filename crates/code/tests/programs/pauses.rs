//! Programs that wait for a person in the middle: what goes on, what is sent once, and what ends instead.

use std::{
    collections::BTreeSet,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use callgate_code::{CodeSettings, Engine, load_with_store};
use callgate_executor::{Builder, Call, CallRights, Decision, Executor, Function};
use callgate_policy::{ApprovalRules, Approvals, Confirm, Idempotency, IdempotencyKey};
use callgate_session::{Expected, Group, Record, Space, Store};
use callgate_tool::{Effect, FaultCode, Object, Outcome, Pending, Principal, Session, Value, json};
use tokio::{task::yield_now, time::Instant};

use crate::shop::{Shop, Test, answer, asked, fault_code, memory};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_loop_waits_at_each_write_and_sends_each_once", Box::pin(a_loop_waits())),
        ("a_rejection_raises_in_the_program", Box::pin(a_rejection_raises())),
        ("calls_that_wait_together_are_all_decided_first", Box::pin(calls_that_wait_together())),
        ("a_call_goes_on_beside_one_that_waits", Box::pin(a_call_goes_on())),
        ("a_write_of_an_interrupted_run_is_told_and_not_repeated", Box::pin(an_interrupted_run())),
        ("a_program_that_does_something_else_has_diverged", Box::pin(a_program_diverges())),
        ("a_tool_that_has_changed_ends_the_program", Box::pin(a_tool_has_changed())),
        ("a_program_keeps_no_results_for_a_caller_who_lost_a_toolset", Box::pin(a_lost_toolset())),
        ("a_full_journal_refuses_the_call_before_it_is_sent", Box::pin(a_full_journal())),
        ("a_decision_of_others_or_about_another_text_counts_for_nothing", Box::pin(strangers())),
        ("a_program_goes_on_under_its_key_after_its_process_has_ended", Box::pin(under_a_key())),
        ("a_program_that_never_waited_is_not_stored", Box::pin(not_stored())),
    ]
}

/// A process with a shop, over a store that others share.
struct Desk(Shop);

const KIM: &str = "kim";
const LOOP: &str = "ids = []\nfor name in ['a', 'b', 'c']:\n    pet = await pets.getPet(7)\n    ids.append([pet['name'], (await pets.addPet(name=name))['added']])\nids";

impl Desk {
    fn new(store: &Arc<dyn Store>) -> Self {
        Self::with(store, |builder| builder)
    }

    fn with(store: &Arc<dyn Store>, add: impl FnOnce(Builder) -> Builder) -> Self {
        let mut rules = ApprovalRules::default();
        rules.toolsets.insert("pets".to_owned(), Confirm::Writes);
        let approvals = Approvals::over(rules, Arc::clone(store));
        let mut settings = CodeSettings::new("code", Engine::Monty);
        settings.calls.effects = vec![Effect::Read, Effect::Write];
        let tool = load_with_store(settings, store).unwrap();
        Self(Shop::of_tool(tool, |builder| add(builder).middleware(approvals)))
    }

    fn executor(&self) -> &Executor {
        &self.0.executor
    }

    fn n_reads(&self) -> usize {
        self.0.traffic.n_calls.load(Ordering::Relaxed)
    }

    fn n_writes(&self) -> usize {
        self.0.traffic.n_writes.load(Ordering::Relaxed)
    }

    async fn call(&self, code: &str, decided: Option<(&str, Decision)>) -> Outcome {
        self.call_of(KIM, code, decided).await
    }

    async fn call_of(
        &self,
        principal: &str,
        code: &str,
        decided: Option<(&str, Decision)>,
    ) -> Outcome {
        let asked = asked(code);
        let session = Session::default();
        let call = Call::new(&asked, &session).with_principal(Principal::new(principal));
        let call = match decided {
            Some((id, decision)) => call.with_decision(id, decision),
            None => call,
        };
        self.executor().call_with(call).await.outcome
    }
}

#[track_caller]
fn waiting(outcome: Outcome) -> Box<Pending> {
    let Outcome::Pending(pending) = outcome else { panic!("{outcome:?}") };
    pending
}

fn approval(pending: &Pending) -> (&str, Decision) {
    (&pending.id, Decision::Approve)
}

async fn a_loop_waits() {
    let store = memory();
    let first = Desk::new(&store);
    let mut pending = waiting(first.call(LOOP, None).await);
    let mut n_reads = first.n_reads();
    for n_before in 0..2_usize {
        is_asked_in_line_4(&pending, n_before);
        // Each time another process goes on.
        let desk = Desk::new(&store);
        pending = waiting(desk.call(LOOP, Some(approval(&pending))).await);
        assert_eq!(desk.n_writes(), 1);
        n_reads += desk.n_reads();
    }
    is_asked_in_line_4(&pending, 2);
    let desk = Desk::new(&store);
    let value = answer(&desk.call(LOOP, Some(approval(&pending))).await);
    assert_eq!(value["execution_result"], r#"[["Rex",true],["Rex",true],["Rex",true]]"#);
    assert_eq!(value["calls"].as_array().unwrap().len(), 6);
    n_reads += desk.n_reads();
    assert_eq!((first.n_writes(), n_reads), (0, 3), "reads are answered from the journal");
    // A decision that is repeated, because its answer was lost, gets the same.
    let again = Desk::new(&store);
    assert_eq!(answer(&again.call(LOOP, Some(approval(&pending))).await), value);
    assert_eq!(again.n_writes(), 0);
}

#[track_caller]
fn is_asked_in_line_4(pending: &Pending, n_before: usize) {
    let program = &pending.request["program"];
    assert_eq!(program["lines"], json!([4]));
    assert_eq!(program["ran"], n_before);
    assert_eq!(program["call"], 2 * n_before + 2);
    assert_eq!(program["waiting"].as_array().unwrap().len(), 1);
}

async fn a_rejection_raises() {
    let (store, code) = (
        memory(),
        "try:\n    await pets.addPet(name='a')\nexcept RuntimeError as e:\n    r = [fault(e)['code'], fault(e)['reached']]\nr",
    );
    let pending = waiting(Desk::new(&store).call(code, None).await);
    let desk = Desk::new(&store);
    let outcome = desk.call(code, Some((&pending.id, Decision::Reject))).await;
    assert_eq!(answer(&outcome)["execution_result"], r#"["rejected","no"]"#);
    assert_eq!(desk.n_writes(), 0);
}

async fn calls_that_wait_together() {
    let store = memory();
    let code = "import asyncio\nr = await asyncio.gather(pets.addPet(name='a'), pets.getPet(7), pets.addPet(name='b'))\n[x['added'] if 'added' in x else x['name'] for x in r]";
    let pending = waiting(Desk::new(&store).call(code, None).await);
    let listed = pending.request["program"]["waiting"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 2);
    let second = listed[1]["id"].as_str().unwrap().to_owned();
    let desk = Desk::new(&store);
    // The second first: it is sent, and the program waits for the other one.
    let still = waiting(desk.call(code, Some((&second, Decision::Approve))).await);
    assert_eq!((&still.id, desk.n_writes()), (&pending.id, 1));
    let outcome = desk.call(code, Some(approval(&pending))).await;
    assert_eq!(answer(&outcome)["execution_result"], r#"[true,"Rex",true]"#);
    assert_eq!(desk.n_writes(), 2);
}

/// The answer of the read is there long before the clock's, and no answer goes to the code while the write waits.
async fn a_call_goes_on() {
    let store = memory();
    let code = "import asyncio\nr = await asyncio.gather(pets.addPet(name='a'), pets.getPet(7), clock.wait(ms=100000))\nr[2]";
    let pending = waiting(Desk::new(&store).call(code, None).await);
    let outcome = Desk::new(&store).call(code, Some(approval(&pending))).await;
    assert_eq!(answer(&outcome)["execution_result"], "100000");
}

/// Drops a call once it has sent what has no end, as if its process had ended then.
pub(crate) async fn interrupt(running: impl Future<Output = Outcome>, is_sent: impl Fn() -> bool) {
    let sent = async {
        while !is_sent() {
            yield_now().await;
        }
    };
    tokio::select! {
        outcome = running => panic!("the process ends in the middle: {outcome:?}"),
        () = sent => {}
    }
}

async fn an_interrupted_run() {
    let store = memory();
    let code = "try:\n    await pets.hang(name='a')\nexcept RuntimeError as e:\n    r = [fault(e)['code'], fault(e)['reached']]\nawait pets.addPet(name='b')\nr";
    let was_sent = Arc::new(AtomicBool::new(false));
    let sent = Arc::clone(&was_sent);
    let hang = move |builder: Builder| {
        let sent = Arc::clone(&sent);
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let hangs = Function::new("pets", "hang", schema, move |_| {
            assert!(!sent.swap(true, Ordering::Relaxed), "it is sent once");
            pending::<Value>()
        });
        builder.backend(hangs.unwrap().with_effect(Effect::Write))
    };
    let pending = waiting(Desk::with(&store, hang.clone()).call(code, None).await);
    let desk = Desk::with(&store, hang.clone());
    let running = desk.call(code, Some(approval(&pending)));
    interrupt(running, || was_sent.load(Ordering::Relaxed)).await;
    // Another decision, or the same again, goes on.
    let desk = Desk::with(&store, hang);
    let next = waiting(desk.call(code, Some(approval(&pending))).await);
    assert_eq!(next.request["program"]["call"], 2);
    let value = answer(&desk.call(code, Some(approval(&next))).await);
    assert_eq!(value["execution_result"], r#"["outcome_unknown","maybe"]"#);
    assert_eq!(value["calls"][0]["reached"], "maybe");
    assert_eq!(desk.n_writes(), 1);
}

/// Changes the journals in a store.
pub(crate) async fn edit_journals(store: &Arc<dyn Store>, from: &str, to: &str) {
    let all = store
        .list(&Group::of_space(Space::Program), None, 100, Instant::now().into_std())
        .await
        .unwrap();
    for (key, stored) in all {
        let text = String::from_utf8(stored.record.bytes().to_vec()).unwrap();
        if text.contains("\"form\"") {
            assert!(text.contains(from), "{text}");
            let record = Record::new("application/json", text.replace(from, to).into());
            store.put(&key, record, Expected::Any, Instant::now().into_std()).await.unwrap();
        }
    }
}

async fn a_program_diverges() {
    let store = memory();
    let code = "a = await pets.getPet(7)\nawait pets.addPet(name='a')\nawait pets.addPet(name='b')";
    let pending = waiting(Desk::new(&store).call(code, None).await);
    let desk = Desk::new(&store);
    let next = waiting(desk.call(code, Some(approval(&pending))).await);
    edit_journals(&store, r#""name":"b""#, r#""name":"c""#).await;
    let desk = Desk::new(&store);
    let value = answer(&desk.call(code, Some(approval(&next))).await);
    let error = value["execution_error"].as_str().unwrap();
    assert!(error.starts_with("diverged: "), "{error}");
    assert!(error.ends_with("writes already made: `pets-addPet` (call 2)"), "{error}");
    assert_eq!(value["calls"][2]["ended"], "waits");
    assert_eq!(desk.n_writes(), 0);
}

async fn a_tool_has_changed() {
    let store = memory();
    let code = "await pets.lend(name='a')\nawait pets.lend(name='b')";
    let lend = |member: &'static str| {
        move |builder: Builder| {
            let members = Object::from([
                (member, json!({"type": "integer"})),
                ("name", json!({"type": "string"})),
            ]);
            let schema = json!({"type": "object", "properties": Value::Object(members)});
            let lends = Function::new("pets", "lend", schema, |_| async { json!(true) });
            builder.backend(lends.unwrap().with_effect(Effect::Write))
        }
    };
    let pending = waiting(Desk::with(&store, lend("days")).call(code, None).await);
    let next = waiting(Desk::with(&store, lend("days")).call(code, Some(approval(&pending))).await);
    let value = answer(&Desk::with(&store, lend("weeks")).call(code, Some(approval(&next))).await);
    let error = value["execution_error"].as_str().unwrap();
    assert!(error.starts_with("stale: the tool `pets-lend` has changed"), "{error}");
    assert!(error.contains("writes already made: `pets-lend` (call 1)"), "{error}");
    let again = answer(&Desk::with(&store, lend("days")).call(code, Some(approval(&next))).await);
    assert_eq!(again, value, "it has ended");
}

async fn a_lost_toolset() {
    let store = memory();
    let desk = Desk::new(&store);
    let code = "pet = await pets.getPet(7)\nawait pets.addPet(name='a')\npet";
    let pending = waiting(desk.call(code, None).await);
    let (asked, session) = (asked(code), Session::default());
    let without_pets = async || {
        let toolsets = BTreeSet::from(["code".to_owned()]);
        let rights = CallRights::of_toolsets(Some(Arc::new(toolsets)));
        let call = Call::of_caller(&asked, &session, rights).with_principal(Principal::new(KIM));
        let (id, decision) = approval(&pending);
        fault_code(desk.executor().call_with(call.with_decision(id, decision)).await.outcome)
    };
    assert_eq!(without_pets().await, FaultCode::OutcomeUnknown);
    assert_eq!(desk.n_writes(), 0);
    let value = answer(&desk.call(code, Some(approval(&pending))).await);
    assert!(value["execution_result"].as_str().unwrap().contains("Rex"), "{value}");
    assert_eq!(
        without_pets().await,
        FaultCode::OutcomeUnknown,
        "its result is not for them either"
    );
}

async fn a_full_journal() {
    let store = memory();
    let big = |builder: Builder| {
        let schema = json!({"type": "object"});
        let big = Function::new("pets", "big", schema, |_| async { json!("a".repeat(1 << 20)) });
        builder.backend(big.unwrap().with_effect(Effect::Read))
    };
    let code = "n = 0\nfor _ in range(5):\n    n += len(await pets.big())\ntry:\n    await pets.addPet(name='a')\nexcept RuntimeError as e:\n    n = [n, fault(e)['code'], fault(e)['reached']]\nn";
    let desk = Desk::with(&store, big);
    let value = answer(&desk.call(code, None).await);
    assert_eq!(value["execution_result"], r#"[5242880,"journal_full","no"]"#);
    assert_eq!(desk.n_writes(), 0);
}

async fn strangers() {
    let store = memory();
    let code = "await pets.addPet(name='a')";
    let desk = Desk::new(&store);
    let pending = waiting(desk.call(code, None).await);
    let of_lee = desk.call_of("lee", code, Some(approval(&pending))).await;
    assert_eq!(fault_code(of_lee), FaultCode::UnknownApproval);
    let other = desk.call("await pets.addPet(name='b')", Some(approval(&pending))).await;
    assert_eq!(fault_code(other), FaultCode::UnknownApproval);
    assert_eq!(desk.n_writes(), 0);
    let both = tokio::join!(
        desk.call(code, Some(approval(&pending))),
        desk.call(code, Some(approval(&pending)))
    );
    assert_eq!(desk.n_writes(), 1, "{both:?}");
}

async fn under_a_key() {
    let store = memory();
    let code = "await pets.addPet(name='a')\nawait pets.hang(name='b')";
    let was_sent = Arc::new(AtomicBool::new(false));
    let keyed = |builder: Builder| {
        let sent = Arc::clone(&was_sent);
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let hangs = Function::new("pets", "hang", schema, move |_| {
            sent.store(true, Ordering::Relaxed);
            pending::<Value>()
        });
        builder
            .backend(hangs.unwrap().with_effect(Effect::Write))
            .middleware(Idempotency::over(Arc::clone(&store), Duration::from_mins(1)))
    };
    let call = async |desk: &Desk, decided: Option<(&str, Decision)>| {
        let asked = asked(code);
        let session = Session::default();
        let key = IdempotencyKey("order-17".to_owned());
        let call = Call::new(&asked, &session).with_extension(key);
        let call = match decided {
            Some((id, decision)) => call.with_decision(id, decision),
            None => call,
        };
        desk.executor().call_with(call).await.outcome
    };
    let desk = Desk::with(&store, keyed);
    let first = waiting(call(&desk, None).await);
    assert_eq!(
        waiting(call(&desk, None).await).id,
        first.id,
        "repeated under its key it still waits"
    );
    let second = waiting(call(&desk, Some(approval(&first))).await);
    let running = call(&desk, Some(approval(&second)));
    interrupt(running, || was_sent.load(Ordering::Relaxed)).await;
    // The key alone does not say how it ended; the decision goes on with the program.
    assert_eq!(fault_code(call(&desk, None).await), FaultCode::OutcomeUnknown);
    let value = answer(&call(&desk, Some(approval(&second))).await);
    assert!(value["execution_error"].as_str().unwrap().contains("outcome_unknown"), "{value}");
    assert_eq!(desk.n_writes(), 1);
}

async fn not_stored() {
    let store = memory();
    let desk = Desk::new(&store);
    answer(&desk.call("(await pets.getPet(7))['name']", None).await);
    let kept = store
        .list(&Group::of_space(Space::Program), None, 10, Instant::now().into_std())
        .await
        .unwrap();
    assert!(kept.is_empty());
}

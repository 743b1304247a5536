//! Approvals that cover further calls of their tool in one program: never more than the person was told, and none where each call has to
//! be decided by itself.

use std::sync::{Arc, atomic::Ordering};

use callgate_code::{CodeSettings, Engine, load_with_store};
use callgate_executor::{Call, Decided, Decision};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_session::Store;
use callgate_tool::{Approvers, Effect, Outcome, Pending, Principal, Session};

use crate::{
    kills::Draw,
    shop::{Shop, Test, asked, memory},
};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("an_approval_covers_no_more_calls_than_it_says", Box::pin(random_programs())),
        ("an_approval_is_for_one_call_unless_configured", Box::pin(once())),
        ("a_rejection_ends_what_an_approval_covers", Box::pin(a_rejection())),
        ("four_eyes_decide_about_each_call", Box::pin(four_eyes())),
        ("a_lower_number_holds_for_programs_that_wait", Box::pin(a_lower_number())),
    ]
}

/// The person's decisions about a program until it ends, each in another process.
struct Desk {
    store: Arc<dyn Store>,
    approvers: Approvers,
    per_approval: usize,
}

/// A step of a program.
struct Step {
    outcome: Outcome,
    /// The writes that were made in it.
    n_writes: usize,
}

impl Desk {
    fn new(per_approval: usize) -> Self {
        Self { store: memory(), approvers: Approvers::Caller, per_approval }
    }

    async fn step(&self, code: &str, decided: Option<(&str, Decision)>) -> Step {
        let mut rules = ApprovalRules { approvers: self.approvers, ..ApprovalRules::default() };
        rules.toolsets.insert("pets".to_owned(), Confirm::Writes);
        let approvals = Approvals::over(rules, Arc::clone(&self.store));
        let mut settings = CodeSettings::new("code", Engine::Monty);
        settings.calls.effects = vec![Effect::Read, Effect::Write];
        settings.calls.per_approval = self.per_approval;
        let tool = load_with_store(settings, &self.store).unwrap();
        let shop = Shop::of_tool(tool, |builder| builder.middleware(approvals.clone()));
        let asked = asked(code);
        let session = Session::default();
        let call = Call::new(&asked, &session).with_principal(Principal::new("kim"));
        let call = match decided {
            Some((id, decision)) if self.approvers == Approvers::Others => {
                let decided = Decided::new(id, decision).by(&Principal::new("lee"));
                approvals.decide(&decided, |_| true, None).await.unwrap();
                call.with_approval(id)
            }
            Some((id, decision)) => call.with_decision(id, decision),
            None => call,
        };
        let outcome = shop.executor.call_with(call).await.outcome;
        Step { outcome, n_writes: shop.traffic.n_writes.load(Ordering::Relaxed) }
    }

    /// Approves until the program ends. Returns the writes after each yes.
    async fn approve_all(&self, code: &str) -> Vec<usize> {
        let mut step = self.step(code, None).await;
        assert_eq!(step.n_writes, 0, "nothing is sent before a yes");
        let mut writes = Vec::new();
        while let Outcome::Pending(pending) = step.outcome {
            assert_eq!(covers(&pending), self.n_further());
            step = self.step(code, Some((&pending.id, Decision::Approve))).await;
            writes.push(step.n_writes);
        }
        assert!(matches!(step.outcome, Outcome::Answered(_)), "{:?}", step.outcome);
        writes
    }

    /// The further calls that the person is told of.
    fn n_further(&self) -> u64 {
        let n = if self.approvers == Approvers::Others { 0 } else { self.per_approval - 1 };
        n as u64
    }
}

fn covers(pending: &Pending) -> u64 {
    pending.request["program"]["covers"].as_u64().unwrap_or_default()
}

/// A program of loops and of calls that run together, and the number of its writes.
fn program(draw: &mut Draw) -> (String, usize) {
    let (mut code, mut n_writes) = ("import asyncio\n".to_owned(), 0);
    for block in 0..=draw.below(3) {
        let n = usize::try_from(1 + draw.below(5)).unwrap();
        n_writes += n;
        let name = |at: usize| format!("'{block}-{at}'");
        code.push_str(&match draw.below(3) {
            0 => {
                let calls = (0..n).map(|at| format!("pets.addPet(name={})", name(at)));
                let calls: Vec<_> = calls.collect();
                format!("await asyncio.gather(pets.getPet(7), {})\n", calls.join(", "))
            }
            1 => format!("for i in range({n}):\n    await pets.addPet(name='{block}' + str(i))\n"),
            _ => format!(
                "for i in range({n}):\n    await pets.getPet(i)\n    await pets.addPet(name='same')\n"
            ),
        });
    }
    (code, n_writes)
}

async fn random_programs() {
    let mut draw = Draw(0x2545_F491_4F6C_DD1D);
    for _ in 0..60 {
        let per_approval = usize::try_from(1 + draw.below(4)).unwrap();
        let (code, n_expected) = program(&mut draw);
        let writes = Desk::new(per_approval).approve_all(&code).await;
        assert_eq!(writes.iter().sum::<usize>(), n_expected, "{code}");
        let mut n_allowed = 0;
        for n in &writes {
            // What one yes does not use, a call of a later step may.
            n_allowed += per_approval;
            assert!(*n <= n_allowed, "{per_approval}: {writes:?}\n{code}");
            n_allowed -= n;
        }
    }
}

async fn once() {
    let code = "for i in range(3):\n    await pets.addPet(name='a')";
    assert_eq!(CodeSettings::new("code", Engine::Monty).calls.per_approval, 1);
    assert_eq!(Desk::new(1).approve_all(code).await, [1, 1, 1]);
    assert_eq!(Desk::new(2).approve_all(code).await, [2, 1]);
    assert_eq!(Desk::new(9).approve_all(code).await, [3]);
}

async fn a_rejection() {
    let code = "import asyncio\ntry:\n    await asyncio.gather(pets.addPet(name='a'), pets.addPet(name='b'))\nexcept RuntimeError:\n    pass\nawait pets.addPet(name='c')";
    let desk = Desk::new(9);
    let Outcome::Pending(first) = desk.step(code, None).await.outcome else { panic!("it waits") };
    let step = desk.step(code, Some((&first.id, Decision::Approve))).await;
    let Outcome::Pending(second) = step.outcome else { panic!("it was asked by itself") };
    assert_eq!(step.n_writes, 1);
    let step = desk.step(code, Some((&second.id, Decision::Reject))).await;
    let Outcome::Pending(third) = step.outcome else { panic!("{:?}", step.outcome) };
    assert_eq!(step.n_writes, 0);
    assert_eq!(third.request["program"]["call"], 3);
}

async fn four_eyes() {
    let code = "for i in range(3):\n    await pets.addPet(name='a' + str(i))";
    let desk = Desk { approvers: Approvers::Others, ..Desk::new(9) };
    assert_eq!(desk.approve_all(code).await, [1, 1, 1]);
}

async fn a_lower_number() {
    let code = "for i in range(3):\n    await pets.addPet(name='a')";
    let desk = Desk::new(9);
    let Outcome::Pending(first) = desk.step(code, None).await.outcome else { panic!("it waits") };
    let desk = Desk { per_approval: 1, ..desk };
    let step = desk.step(code, Some((&first.id, Decision::Approve))).await;
    assert!(matches!(step.outcome, Outcome::Pending(_)), "{:?}", step.outcome);
    assert_eq!(step.n_writes, 1);
}

//! Random orders of calls, decisions, expiries and reloads, with the rules that hold in each of them.

use std::{cell::Cell, collections::BTreeMap};

use proptest::prelude::*;

use super::*;

/// A step of somebody. Callers and deciders are numbers of [`NAMES`]; approvals are counted from the last that was asked for.
#[derive(Clone, Debug)]
enum Step {
    /// A call, or its repetition.
    Call {
        caller: usize,
        name: usize,
    },
    /// A call under the id of an approval, its own or not.
    CallUnder {
        caller: usize,
        name: usize,
        approval: usize,
    },
    /// A call with a decision, in which the program says who decided, or not.
    CallWith {
        caller: usize,
        name: usize,
        approval: usize,
        decision: Decision,
        by: usize,
    },
    Mark {
        approval: usize,
        decision: Decision,
        by: usize,
    },
    Expire,
    Reload {
        approvers: Approvers,
    },
}

/// The callers; the first one has no name.
const NAMES: [Option<&str>; 3] = [None, Some("kim"), Some("lee")];

fn step() -> impl Strategy<Value = Step> {
    let somebody = || 0..NAMES.len();
    let decision = || prop_oneof![3 => Just(Decision::Approve), 1 => Just(Decision::Reject)];
    prop_oneof![
        6 => (somebody(), 0..2usize).prop_map(|(caller, name)| Step::Call { caller, name }),
        3 => (somebody(), 0..2usize, 0..3usize)
            .prop_map(|(caller, name, approval)| Step::CallUnder { caller, name, approval }),
        3 => (somebody(), 0..2usize, 0..3usize, decision(), somebody())
            .prop_map(|(caller, name, approval, decision, by)| {
                Step::CallWith { caller, name, approval, decision, by }
            }),
        6 => (0..3usize, decision(), somebody())
            .prop_map(|(approval, decision, by)| Step::Mark { approval, decision, by }),
        1 => Just(Step::Expire),
        1 => (0..Approvers::ALL.len()).prop_map(|at| Step::Reload { approvers: Approvers::ALL[at] }),
    ]
}

/// What is known of an approval that was asked for.
#[derive(Debug)]
struct Known {
    id: String,
    of: (usize, usize),
    /// Calls find it without its id.
    is_listed: bool,
    is_given: bool,
    is_refused: bool,
    /// Used, withdrawn, rejected and told, or expired.
    is_over: bool,
}

struct Office {
    desk: Desk,
    approvers: Approvers,
    known: Vec<Known>,
    /// Calls that were made, by caller and name.
    made: BTreeMap<(usize, usize), usize>,
}

fn rules_of(approvers: Approvers) -> ApprovalRules {
    ApprovalRules { approvers, ..rules(Confirm::Writes) }
}

impl Office {
    fn new() -> Self {
        let desk = Desk::of(Approvals::new(rules_of(Approvers::Others)), "api.example.com");
        Self { desk, approvers: Approvers::Others, known: Vec::new(), made: BTreeMap::new() }
    }

    async fn call(
        &mut self,
        (caller, name): (usize, usize),
        approval: Option<&str>,
        decided: Option<Decided>,
    ) -> Outcome {
        let arguments = Arguments::from_iter([("name".to_owned(), ["Rex", "Max"][name].into())]);
        let (asked, session) = (ToolCall::new("1", "put", arguments), Session::new("s"));
        let mut call = Call::new(&asked, &session);
        if let Some(name) = NAMES[caller] {
            call = call.with_principal(Principal::new(name));
        }
        if let Some(approval) = approval {
            call = call.with_approval(approval);
        }
        if let Some(decided) = decided {
            call = call.with_decided(decided);
        }
        let before = self.desk.n_sent();
        let outcome = self.desk.executor.call_with(call).await.outcome;
        let is_made = matches!(outcome, Outcome::Answered(_));
        assert_eq!(self.desk.n_sent() - before, usize::from(is_made));
        if let Outcome::Pending(pending) = &outcome {
            let of = (caller, name);
            match self.known.iter().find(|known| known.id == pending.id) {
                Some(known) => assert_eq!(known.of, of, "a call waits under the id of another"),
                None => self.known.push(Known {
                    id: pending.id.clone(),
                    of,
                    is_listed: self.approvers != Approvers::Caller,
                    is_given: false,
                    is_refused: false,
                    is_over: false,
                }),
            }
        }
        outcome
    }

    /// Checks that a call that was made uses an approval that others gave for it, and uses it for the first time.
    fn uses_given(&mut self, of: (usize, usize)) {
        let is_given = |known: &&mut Known| {
            known.of == of && known.is_listed && known.is_given && !known.is_over
        };
        let used = self.known.iter_mut().find(is_given).expect("nobody else approved it");
        used.is_over = true;
        *self.made.entry(of).or_default() += 1;
    }

    /// Checks the end of a call that brought an approval; `counts` is true if its own decision approves the call.
    fn ended(&mut self, of: (usize, usize), approval: usize, (counts, outcome): (bool, &Outcome)) {
        let is_made = matches!(outcome, Outcome::Answered(_));
        let known = &mut self.known[approval];
        let (is_own, may) = (known.of.0 == of.0, known.is_given || counts);
        if !is_own {
            assert!(!is_made, "the approval is another caller's");
            return;
        }
        if known.of != of {
            // It is used up, and another approval may be there for what is sent now.
            known.is_over |= may || known.is_refused;
            if is_made {
                self.uses_given(of);
            }
            return;
        }
        assert_eq!(is_made, may && !known.is_over && !known.is_refused, "{known:?} {outcome:?}");
        known.is_over |= is_made || known.is_refused;
        *self.made.entry(of).or_default() += usize::from(is_made);
    }

    /// A call has ended as rejected, which somebody must have done.
    fn hears_refusal(&mut self, of: (usize, usize)) {
        let is_refused = |known: &&mut Known| {
            known.of == of && known.is_listed && known.is_refused && !known.is_over
        };
        self.known.iter_mut().find(is_refused).expect("nobody rejected it").is_over = true;
    }

    /// The place and the id of an approval, counted from the last.
    fn last(&self, back: usize) -> Option<(usize, String)> {
        let at = self.known.len().checked_sub(back + 1)?;
        Some((at, self.known[at].id.clone()))
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Call { caller, name } => {
                let outcome = self.call((caller, name), None, None).await;
                match &outcome {
                    Outcome::Answered(_) => self.uses_given((caller, name)),
                    Outcome::Failed(fault) if fault.code == FaultCode::Rejected => {
                        self.hears_refusal((caller, name));
                    }
                    _ => {}
                }
            }
            Step::CallUnder { caller, name, approval } => {
                let Some((approval, id)) = self.last(approval) else { return };
                let outcome = self.call((caller, name), Some(&id), None).await;
                self.ended((caller, name), approval, (false, &outcome));
            }
            Step::CallWith { caller, name, approval, decision, by } => {
                let Some((approval, id)) = self.last(approval) else { return };
                let (decider, decided) = decided(&id, decision, by);
                let is_others =
                    decider.is_some() && NAMES[caller].is_some() && decider != NAMES[caller];
                let may = self.approvers != Approvers::Others || is_others;
                let outcome = self.call((caller, name), None, Some(decided)).await;
                if decision == Decision::Approve {
                    self.ended((caller, name), approval, (may, &outcome));
                } else {
                    assert!(outcome.is_failed(), "{outcome:?}");
                    self.known[approval].is_over |= self.known[approval].of.0 == caller;
                }
            }
            Step::Mark { approval, decision, by } => {
                let Some((approval, id)) = self.last(approval) else { return };
                let (decider, decided) = decided(&id, decision, by);
                let marked = self.desk.approvals.decide(&decided, |_| true, None).await.unwrap();
                let known = &mut self.known[approval];
                if let Marked::Now(_) = marked {
                    let caller = NAMES[known.of.0];
                    assert!(decider.is_some() && caller.is_some() && decider != caller);
                    assert!(!known.is_given && !known.is_refused && !known.is_over);
                    known.is_given = decision == Decision::Approve;
                    known.is_refused = decision == Decision::Reject;
                }
            }
            Step::Expire => {
                tokio::time::advance(APPROVAL_TIME * 2).await;
                self.known.iter_mut().for_each(|known| known.is_over = true);
            }
            Step::Reload { approvers } => {
                let approvals = self.desk.approvals.with_rules(rules_of(approvers));
                let n_sent = Arc::clone(&self.desk.n_sent);
                self.desk = Desk::counted(approvals, "api.example.com", n_sent);
                self.approvers = approvers;
            }
        }
    }
}

/// The decision of somebody.
fn decided(id: &str, decision: Decision, by: usize) -> (Option<&'static str>, Decided) {
    let (decider, decided) = (NAMES[by], Decided::new(id, decision));
    match decider {
        Some(name) => (decider, decided.by(&Principal::new(name))),
        None => (None, decided),
    }
}

#[test]
fn in_every_order_a_call_is_made_at_most_once_for_each_approval_that_counts() {
    let n_made = Cell::new(0);
    let config =
        ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let steps = prop::collection::vec(step(), 1..60);
    let ran = runner.run(&steps, |steps| {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(async {
            let mut office = Office::new();
            for step in steps {
                office.step(step).await;
            }
            n_made.set(n_made.get() + office.made.values().sum::<usize>());
        });
        Ok(())
    });
    ran.unwrap();
    assert!(n_made.get() > 150, "too few calls were made to tell: {}", n_made.get());
}

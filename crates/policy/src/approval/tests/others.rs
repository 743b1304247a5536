//! Tests of decisions that others than the caller make, and of everybody whose decision does not count.

use super::*;

fn four_eyes() -> ApprovalRules {
    ApprovalRules { approvers: Approvers::Others, ..rules(Confirm::Writes) }
}

fn either() -> ApprovalRules {
    ApprovalRules { approvers: Approvers::Either, ..rules(Confirm::Writes) }
}

fn desk(rules: ApprovalRules) -> Desk {
    Desk::of(Approvals::new(rules), "api.example.com")
}

impl Desk {
    /// A decision by somebody for whom everything is covered.
    async fn mark(&self, by: &str, id: &str, decision: Decision) -> Marked {
        let decided = Decided::new(id, decision).by(&Principal::new(by));
        self.approvals.decide(&decided, |_| true, None).await.unwrap()
    }

    async fn put(&self, by: &By<'_>) -> Ended {
        self.call(("put", "Rex"), by).await
    }
}

const RUN: fn(&str) -> By<'_> = |id| By { approval: Some(id), ..KIM };

#[tokio::test]
async fn a_call_that_another_principal_approved_is_made_once_when_it_is_repeated() {
    for rules in [four_eyes(), either()] {
        let desk = desk(rules);
        let id = desk.asked().await;
        let Marked::Now(approval) = desk.mark("lee", &id, Decision::Approve).await else {
            panic!("it was not marked")
        };
        assert_eq!(approval.state, ApprovalState::Approved { by: "lee".to_owned() });
        assert_eq!(desk.n_sent(), 0, "the decision alone sends nothing");
        assert!(matches!(desk.put(&KIM).await, Ended::Made(_)));
        assert!(matches!(desk.put(&KIM).await, Ended::Asked(..)), "it is used up");
        assert!(desk.put(&RUN(&id)).await.is_used());
        assert_eq!(desk.n_sent(), 1);
    }
}

#[tokio::test]
async fn a_call_is_made_under_its_id_once_another_principal_has_approved_it() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    let Ended::Asked(pending, _) = desk.put(&RUN(&id)).await else { panic!("nobody has decided") };
    assert_eq!((&pending.id, pending.approvers), (&id, Approvers::Others));
    desk.mark("lee", &id, Decision::Approve).await;
    assert!(matches!(desk.put(&RUN(&id)).await, Ended::Made(_)));
    assert!(desk.put(&RUN(&id)).await.is_used());
    assert_eq!(desk.n_sent(), 1);
}

#[tokio::test]
async fn a_call_that_another_principal_rejected_ends_as_rejected() {
    let desk = desk(four_eyes());
    for by in [KIM, RUN("")] {
        let id = desk.asked().await;
        let by = By { approval: by.approval.map(|_| &*id), ..by };
        desk.mark("lee", &id, Decision::Reject).await;
        let ended = desk.put(&by).await;
        assert!(matches!(ended, Ended::Failed(FaultCode::Rejected, Next::AskUser)), "{ended:?}");
        let again = desk.put(&RUN(&id)).await;
        assert!(matches!(again, Ended::Failed(FaultCode::Rejected, _)), "{again:?}");
    }
    assert_eq!(desk.n_sent(), 0);
}

/// Covers the caller by its own name, by none, and a caller without a name.
#[tokio::test]
async fn under_four_eyes_no_decision_of_the_caller_counts_and_the_call_still_waits() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    for decider in [None, Some("kim")] {
        let ended = desk.put(&By { decider, ..approving(&id) }).await;
        assert!(matches!(ended, Ended::Failed(FaultCode::NeedsApproval, Next::AskUser)));
    }
    assert_eq!(desk.mark("kim", &id, Decision::Approve).await, Marked::Own);
    let unnamed = Decided::new(&*id, Decision::Approve);
    let marked = desk.approvals.decide(&unnamed, |_| true, None).await.unwrap();
    assert_eq!(marked, Marked::Own);
    assert!(matches!(desk.put(&KIM).await, Ended::Asked(pending, _) if pending.id == id));
    assert_eq!(desk.n_sent(), 0);
    let ended = desk.put(&By { decider: Some("lee"), ..approving(&id) }).await;
    assert!(matches!(ended, Ended::Made(_)), "the program says who decided: {ended:?}");

    let asked =
        ToolCall::new("1", "put", Arguments::from_iter([("name".to_owned(), "Rex".into())]));
    let result = desk.executor.call(&asked, &Session::default()).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("{:?}", result.outcome) };
    assert_eq!(fault.code, FaultCode::NeedsApproval);
    assert!(desk.list(10).await.approvals.is_empty(), "it does not wait either");
}

#[tokio::test]
async fn under_four_eyes_the_caller_may_withdraw_its_call() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    let withdrawing = By { decision: Some((&id, Decision::Reject)), ..KIM };
    assert!(matches!(desk.put(&withdrawing).await, Ended::Failed(FaultCode::Rejected, _)));
    assert_eq!(desk.mark("lee", &id, Decision::Approve).await, Marked::Absent);
    assert!(matches!(desk.put(&KIM).await, Ended::Asked(..)));
    assert_eq!(desk.n_sent(), 0);
}

#[tokio::test]
async fn a_repeated_call_waits_under_its_first_id_where_others_decide() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    assert_eq!(desk.asked().await, id);
    let others =
        [By { session: "t", ..KIM }, By { tenant: "evil", ..KIM }, By { principal: "lee", ..KIM }];
    for by in &others {
        let Ended::Asked(pending, _) = desk.put(by).await else { panic!("nobody was asked") };
        assert_ne!(pending.id, id);
    }
    assert_eq!(desk.list(10).await.approvals.len(), 4);
}

/// Covers another argument, session, session value and principal, and another server after a reload.
#[tokio::test]
async fn an_approval_of_another_principal_counts_for_the_call_that_it_saw_and_no_other() {
    let desk = desk(four_eyes());
    let moved = Desk::of(desk.approvals.with_rules(four_eyes()), "elsewhere.example");
    let id = desk.asked().await;
    desk.mark("lee", &id, Decision::Approve).await;
    for (at, name, by) in [
        (&desk, "Max", KIM),
        (&desk, "Rex", By { session: "t", ..KIM }),
        (&desk, "Rex", By { tenant: "evil", ..KIM }),
        (&desk, "Rex", By { principal: "lee", ..KIM }),
        (&moved, "Rex", KIM),
    ] {
        let ended = at.call(("put", name), &by).await;
        assert!(matches!(&ended, Ended::Asked(pending, _) if pending.id != id), "{ended:?}");
    }
    assert_eq!((desk.n_sent(), moved.n_sent()), (0, 0));
    let ended = desk.call(("put", "Max"), &RUN(&id)).await;
    assert!(matches!(ended, Ended::Asked(..)), "another request under the id: {ended:?}");
    assert!(matches!(desk.put(&KIM).await, Ended::Asked(..)), "which used it up");
}

#[tokio::test]
async fn the_first_decision_of_others_holds() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    let decided = |by, decision| desk.mark(by, &id, decision);
    let both = futures_util::future::join(
        decided("lee", Decision::Approve),
        decided("mia", Decision::Reject),
    );
    let (first, second) = both.await;
    assert!(matches!(first, Marked::Now(_)), "{first:?}");
    assert!(matches!(&second, Marked::Earlier(known) if known.state.by() == Some("lee")));
    assert!(matches!(decided("mia", Decision::Approve).await, Marked::Earlier(_)));
    assert!(matches!(desk.put(&KIM).await, Ended::Made(_)));
    assert_eq!(decided("mia", Decision::Reject).await, Marked::Absent);
}

#[tokio::test]
async fn of_two_repetitions_at_the_same_time_one_is_made() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    desk.mark("lee", &id, Decision::Approve).await;
    let run = RUN(&id);
    let all = futures_util::future::join3(desk.put(&KIM), desk.put(&run), desk.put(&KIM)).await;
    let made = [&all.0, &all.1, &all.2].iter().filter(|it| matches!(it, Ended::Made(_))).count();
    assert_eq!((made, desk.n_sent()), (1, 1), "{all:?}");
}

#[tokio::test]
async fn a_principal_decides_about_covered_calls_only() {
    let desk = desk(either());
    let id = desk.asked().await;
    let lee = Decided::new(&*id, Decision::Approve).by(&Principal::new("lee"));
    let refused = desk.approvals.decide(&lee, |approval| approval.tool != "put", None).await;
    assert_eq!(refused.unwrap(), Marked::Absent);
    let unknown = Decided::new("approval_00", Decision::Approve).by(&Principal::new("lee"));
    let unknown = desk.approvals.decide(&unknown, |_| true, None).await.unwrap();
    assert_eq!(unknown, Marked::Absent);
    assert!(matches!(
        desk.put(&By { decider: Some("kim"), ..approving(&id) }).await,
        Ended::Made(_)
    ));
}

#[tokio::test]
async fn a_listed_approval_shows_its_caller_and_request_and_no_credential() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    let listed = desk.list(10).await.approvals;
    let [approval] = &*listed else { panic!("{listed:?}") };
    assert_eq!((&approval.id, approval.caller.as_deref()), (&id, Some("kim")));
    assert_eq!((&*approval.tool, &*approval.toolset), ("put", "pets"));
    assert_eq!(approval.effect, Effect::Idempotent);
    assert_eq!(approval.request["headers"]["authorization"], json!("****"));
    assert_eq!(approval.expires.duration_since(approval.asked).unwrap(), APPROVAL_TIME);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_nobody_used_expires() {
    let desk = desk(four_eyes());
    let id = desk.asked().await;
    desk.mark("lee", &id, Decision::Approve).await;
    tokio::time::advance(APPROVAL_TIME).await;
    assert!(desk.put(&RUN(&id)).await.is_unknown());
    assert!(matches!(desk.put(&KIM).await, Ended::Asked(..)));
    assert_eq!(desk.n_sent(), 0);
}

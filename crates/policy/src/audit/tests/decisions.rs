//! The lines that a person's decision leaves in the file.

use callgate_executor::Decision;

use super::*;
use crate::{ApprovalRules, Approvals, Confirm};

#[tokio::test]
async fn a_decision_is_audited_with_the_call_that_it_is_about() {
    let desk = Desk::new();
    let audit = Arc::new(Audit::open(&desk.config, &key(), HOUR).unwrap());
    let toolsets = [("shop".to_owned(), Confirm::Always)].into_iter().collect();
    let rules = ApprovalRules { toolsets, ..ApprovalRules::default() };
    let executor = Executor::builder()
        .function("shop", "buy", json!({"type": "object"}), |_| async { json!("bought") })
        .middleware(Approvals::new(rules))
        .shared_middleware(Arc::clone(&audit) as _)
        .build()
        .unwrap();
    let (asked, session) = (ToolCall::new("1", "shop-buy", Arguments::new()), Session::default());
    for decision in [Decision::Approve, Decision::Reject] {
        let Outcome::Pending(pending) = executor.call(&asked, &session).await.outcome else {
            panic!("nobody was asked");
        };
        executor.call_with(Call::new(&asked, &session).with_decision(&pending.id, decision)).await;
    }
    let process = Process { executor, audit, n_sent: Arc::default() };
    process.end();
    let told = |name: &str| {
        let lines = desk.lines();
        let told = lines.iter().filter_map(|line| line.get(name)?.as_str().map(ToOwned::to_owned));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told("decision"), ["approve", "reject"]);
    assert_eq!(told("outcome"), ["pending", "answered", "pending", "rejected"]);
    assert_eq!(desk.verified().flaw, None);
}

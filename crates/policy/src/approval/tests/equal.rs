//! Tests of approvals of equal calls, which are found without reading all that wait.

use super::*;
use crate::tests::store::{Hook, Request, TestStore};

/// A count of listings.
#[derive(Debug, Default)]
struct Listings(AtomicUsize);

#[async_trait]
impl Hook for Listings {
    async fn before(&self, request: Request<'_>) -> Result<(), Error> {
        self.0.fetch_add(usize::from(matches!(request, Request::List)), Ordering::Relaxed);
        Ok(())
    }
}

#[tokio::test]
async fn a_call_that_asks_reads_no_approvals_of_other_calls() {
    let bounds = Bounds { records: 10_000, bytes: 16 << 20 };
    let store = TestStore::new(bounds, Listings::default());
    let rules = ApprovalRules { approvers: Approvers::Either, ..rules(Confirm::Writes) };
    let approvals = Approvals::over(rules, store.clone());
    let desk = Desk::of(approvals, "api.example.com");
    let mut ids = Vec::new();
    for number in 0..100 {
        // Equal ones among others.
        let name = if number % 2 == 0 { "Rex".to_owned() } else { format!("pet {number}") };
        let Ended::Asked(pending, _) = desk.call(("put", &name), &KIM).await else {
            panic!("nobody was asked")
        };
        ids.push(pending.id);
    }
    assert_eq!(store.0.load(Ordering::Relaxed), 0);
    for id in [&ids[0], &ids[98]] {
        let decided = Decided::new(id, Decision::Approve).by(&Principal::new("lee"));
        let marked = desk.approvals.decide(&decided, |_| true, None).await.unwrap();
        assert!(matches!(marked, Marked::Now(_)), "{marked:?}");
    }
    let n_lists = store.0.load(Ordering::Relaxed);
    for n_sent in 1..=2 {
        assert!(matches!(desk.call(("put", "Rex"), &KIM).await, Ended::Made(_)));
        assert_eq!(desk.n_sent(), n_sent);
    }
    assert!(matches!(desk.call(("put", "Rex"), &KIM).await, Ended::Asked(..)), "both are used");
    assert_eq!(store.0.load(Ordering::Relaxed), n_lists);
}

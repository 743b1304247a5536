//! Tests of approvals of equal calls, which are found without reading all that wait.

use std::time::Instant as Now;

use callgate_session::{Group, Stored, Version};

use super::*;

/// A store that counts its listings.
#[derive(Debug)]
struct Listings(Memory, AtomicUsize);

#[async_trait]
impl Store for Listings {
    async fn get(&self, key: &Key, now: Now) -> Result<Option<Stored>, Error> {
        self.0.get(key, now).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Now,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.list(group, after, most, now).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Now,
    ) -> Result<Version, Error> {
        self.0.put(key, record, expected, now).await
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Now) -> Result<bool, Error> {
        self.0.remove(key, expected, now).await
    }
}

#[tokio::test]
async fn a_call_that_asks_reads_no_approvals_of_other_calls() {
    let bounds = Bounds { records: 10_000, bytes: 16 << 20 };
    let store = Arc::new(Listings(Memory::new(bounds), AtomicUsize::new(0)));
    let rules = ApprovalRules { approvers: Approvers::Either, ..rules(Confirm::Writes) };
    let approvals = Approvals::over(rules, Arc::clone(&store) as Arc<dyn Store>);
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
    assert_eq!(store.1.load(Ordering::Relaxed), 0);
    for id in [&ids[0], &ids[98]] {
        let decided = Decided::new(id, Decision::Approve).by(&Principal::new("lee"));
        let marked = desk.approvals.decide(&decided, |_| true, None).await.unwrap();
        assert!(matches!(marked, Marked::Now(_)), "{marked:?}");
    }
    let n_lists = store.1.load(Ordering::Relaxed);
    for n_sent in 1..=2 {
        assert!(matches!(desk.call(("put", "Rex"), &KIM).await, Ended::Made(_)));
        assert_eq!(desk.n_sent(), n_sent);
    }
    assert!(matches!(desk.call(("put", "Rex"), &KIM).await, Ended::Asked(..)), "both are used");
    assert_eq!(store.1.load(Ordering::Relaxed), n_lists);
}

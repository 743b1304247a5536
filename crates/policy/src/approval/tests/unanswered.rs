//! A store that does not answer when an approval is used: nothing is sent, and the approval is there again later, whatever the
//! store has kept of the use.

use std::sync::Mutex;

use callgate_session::ErrorKind;

use super::*;
use crate::tests::store::{Hook, Request, TestStore};

/// A store that answers no change while it is out of reach.
#[derive(Debug)]
struct Unanswered {
    reach: Mutex<Reach>,
    /// Its reach from the next use of an approval on.
    next: Mutex<Option<Reach>>,
    /// A change on its way.
    late: Mutex<Option<(Key, Record, Expected)>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reach {
    Answered,
    /// The change is made.
    Heard,
    /// The change arrives later.
    Late,
    /// The change is lost.
    Lost,
}

impl Unanswered {
    fn set(&self, reach: Reach) {
        *self.reach.lock().unwrap() = reach;
    }

    fn check(&self, is_answered: impl Fn(Reach) -> bool) -> Result<(), Error> {
        if is_answered(*self.reach.lock().unwrap()) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unavailable, "no answer"))
    }
}

#[async_trait]
impl Hook for Unanswered {
    async fn before(&self, request: Request<'_>) -> Result<(), Error> {
        match request {
            Request::Get => self.check(|reach| reach == Reach::Answered),
            Request::Put(key, record, expected) => {
                let is_use = matches!(expected, Expected::Version(_));
                if let Some(next) = is_use.then(|| self.next.lock().unwrap().take()).flatten() {
                    self.set(next);
                }
                if *self.reach.lock().unwrap() == Reach::Late {
                    let change = || (key.clone(), record.clone(), expected);
                    self.late.lock().unwrap().get_or_insert_with(change);
                }
                self.check(|reach| matches!(reach, Reach::Answered | Reach::Heard))
            }
            Request::List | Request::Remove | Request::Take => Ok(()),
        }
    }

    fn after(&self, request: Request<'_>) -> Result<(), Error> {
        self.check(|reach| matches!(request, Request::Remove) || reach == Reach::Answered)
    }
}

async fn deliver(store: &TestStore<Unanswered>) {
    let late = store.late.lock().unwrap().take();
    if let Some((key, record, expected)) = late {
        store.memory.put(&key, record, expected, now()).await.ok();
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_whose_use_was_not_answered_can_be_used_once_the_store_answers() {
    for reach in [Reach::Heard, Reach::Late, Reach::Lost] {
        let (usual, next) = (Mutex::new(Reach::Answered), Mutex::default());
        let unanswered = Unanswered { reach: usual, next, late: Mutex::default() };
        let store = TestStore::new(Bounds { records: 9, bytes: 1 << 16 }, unanswered);
        let approvals = Approvals::over(rules(Confirm::Writes), store.clone());
        let desk = Desk::of(approvals, "api.example.com");
        let id = desk.asked().await;
        let by = approving(&id);
        let decide = || desk.call(("put", "Rex"), &by);
        store.next.lock().unwrap().replace(reach);
        for _ in 0..2 {
            let ended = decide().await;
            let is_refused =
                matches!(ended, Ended::Failed(FaultCode::NeedsApproval, Next::TryLater));
            assert!(is_refused, "{reach:?}: {ended:?}");
        }
        store.set(Reach::Answered);
        if reach == Reach::Heard {
            assert!(decide().await.is_being_used(), "{reach:?}");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        deliver(&store).await;
        let ended = decide().await;
        assert!(matches!(ended, Ended::Made(_)), "{reach:?}: {ended:?}");
        assert!(decide().await.is_used(), "{reach:?}");
        assert_eq!(desk.n_sent(), 1, "{reach:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_use_whose_process_ended_without_a_word_is_unknown_after_its_time() {
    let store = Arc::new(Memory::new(Bounds { records: 9, bytes: 1 << 16 }));
    let over =
        |store: &Arc<Memory>| Approvals::over(rules(Confirm::Writes), Arc::<Memory>::clone(store));
    let desk = Desk::of(over(&store), "api.example.com");
    let id = desk.asked().await;
    let session = Session::new(KIM.session);
    let key = Key::new(
        Space::Approval,
        Owner::new(Some(&Principal::new(KIM.principal)), &session),
        &format!("{id} put"),
    );
    let stored = store.get(&key, now()).await.unwrap().unwrap();
    let found = crate::approval_record::StoredApproval::from_stored(key, &stored).unwrap();
    let shared: Arc<dyn Store> = Arc::<Memory>::clone(&store);
    usage::claim_unused_approval(&shared, &found).await.unwrap();
    assert!(desk.call(("put", "Rex"), &approving(&id)).await.is_being_used());
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert!(desk.call(("put", "Rex"), &approving(&id)).await.is_used());
    assert_eq!(desk.n_sent(), 0);
}

#[tokio::test]
async fn a_call_that_cannot_be_stored_until_its_decision_is_refused() {
    let store = Arc::new(Memory::new(Bounds { records: 0, bytes: 0 }));
    let desk = Desk::of(Approvals::over(rules(Confirm::Always), store), "a");
    let ended = desk.call(("put", "Rex"), &KIM).await;
    assert!(matches!(ended, Ended::Failed(FaultCode::NeedsApproval, Next::TryLater)), "{ended:?}");
}

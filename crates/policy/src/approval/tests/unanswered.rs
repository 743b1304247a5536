//! A store that does not answer when an approval is used: nothing is sent, and the approval is there again later, whatever the
//! store has kept of the use.

use std::{sync::Mutex, time::Instant as Now};

use callgate_session::{ErrorKind, Group, Stored, Version};

use super::*;

/// A store that answers no change while it is out of reach.
#[derive(Debug)]
struct Unanswered {
    memory: Memory,
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

    async fn deliver(&self) {
        let late = self.late.lock().unwrap().take();
        if let Some((key, record, expected)) = late {
            self.memory.put(&key, record, expected, now()).await.ok();
        }
    }
}

#[async_trait]
impl Store for Unanswered {
    async fn get(&self, key: &Key, now: Now) -> Result<Option<Stored>, Error> {
        match *self.reach.lock().unwrap() {
            Reach::Answered => {}
            _ => return Err(Error::new(ErrorKind::Unavailable, "no answer")),
        }
        self.memory.get(key, now).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Now,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.memory.list(group, after, most, now).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Now,
    ) -> Result<Version, Error> {
        let is_use = matches!(expected, Expected::Version(_));
        if let Some(next) = is_use.then(|| self.next.lock().unwrap().take()).flatten() {
            self.set(next);
        }
        let reach = *self.reach.lock().unwrap();
        if matches!(reach, Reach::Answered | Reach::Heard) {
            let version = self.memory.put(key, record, expected, now).await?;
            if reach == Reach::Answered {
                return Ok(version);
            }
        } else if reach == Reach::Late {
            self.late.lock().unwrap().get_or_insert((key.clone(), record, expected));
        }
        Err(Error::new(ErrorKind::Unavailable, "no answer"))
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Now) -> Result<bool, Error> {
        self.memory.remove(key, expected, now).await
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_whose_use_was_not_answered_can_be_used_once_the_store_answers() {
    for reach in [Reach::Heard, Reach::Late, Reach::Lost] {
        let memory = Memory::new(Bounds { records: 9, bytes: 1 << 16 });
        let (usual, next) = (Mutex::new(Reach::Answered), Mutex::default());
        let store = Arc::new(Unanswered { memory, reach: usual, next, late: Mutex::default() });
        let shared = Arc::<Unanswered>::clone(&store);
        let desk = Desk::of(Approvals::over(rules(Confirm::Writes), shared), "api.example.com");
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
        store.deliver().await;
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
    usage::begin_use(&shared, &found).await.unwrap();
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

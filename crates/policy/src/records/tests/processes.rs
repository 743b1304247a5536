//! Several processes over one store: none makes a call that another one may have made, whatever ends where, and whatever
//! the store loses.

use std::sync::atomic::AtomicU8;

use async_trait::async_trait;

use super::*;
use crate::tests::store::{Hook, Request, TestStore};

/// A store as one process reaches it.
#[derive(Debug)]
struct Reached(AtomicU8);

/// How a request of a process to the store ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Reach {
    Answered,
    /// Nothing is done.
    Away,
    /// A change is done, and not acknowledged.
    Unheard,
}

impl Reached {
    fn set(&self, reach: Reach) {
        self.0.store(reach as u8, Ordering::Relaxed);
    }

    fn fails_as(&self, reach: Reach) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) == reach as u8 {
            return Err(Error::new(ErrorKind::Unavailable, "no answer"));
        }
        Ok(())
    }
}

#[async_trait]
impl Hook for Reached {
    async fn before(&self, _: Request<'_>) -> Result<(), Error> {
        self.fails_as(Reach::Away)
    }

    fn after(&self, _: Request<'_>) -> Result<(), Error> {
        self.fails_as(Reach::Unheard)
    }
}

struct Process {
    store: Arc<TestStore<Reached>>,
    records: Arc<Records>,
    /// The call that it makes under each key, and whether it was sent.
    calls: [Option<(Guard, bool)>; KEYS],
}

impl Process {
    fn start(memory: &Arc<Memory>) -> Self {
        let store = TestStore::over(memory, Reached(AtomicU8::new(Reach::Answered as u8)));
        let records = Records::over(store.clone(), Duration::from_hours(1));
        Self { store, records, calls: [None, None] }
    }

    /// Ends without a word.
    fn crash(&mut self, memory: &Arc<Memory>) {
        self.store.set(Reach::Away);
        *self = Self::start(memory);
    }

    async fn begin(&mut self, key: usize) -> Begun {
        begin(&self.records, &key.to_string(), 1).await
    }
}

const KEYS: usize = 2;
const PROCESSES: usize = 3;

/// A step of a process with a key.
#[derive(Clone, Copy, Debug)]
enum Step {
    Begin(usize, usize),
    Crash(usize),
    Drop(usize, usize),
    Finish(usize, usize),
    Free(usize, usize),
    Reach(usize, Reach),
    Send(usize, usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let process = || 0..PROCESSES;
    let both = || (process(), 0..KEYS);
    let reaches = vec![Reach::Answered, Reach::Answered, Reach::Away, Reach::Unheard];
    prop_oneof![
        6 => both().prop_map(|(process, key)| Step::Begin(process, key)),
        1 => process().prop_map(Step::Crash),
        1 => both().prop_map(|(process, key)| Step::Drop(process, key)),
        3 => both().prop_map(|(process, key)| Step::Finish(process, key)),
        2 => both().prop_map(|(process, key)| Step::Free(process, key)),
        2 => (process(), prop::sample::select(reaches))
            .prop_map(|(process, reach)| Step::Reach(process, reach)),
        4 => both().prop_map(|(process, key)| Step::Send(process, key)),
        2 => (1..50_u64).prop_map(Step::Wait),
    ]
}

/// The calls that the service got, and the ends that callers got.
#[derive(Default)]
struct Seen {
    sent: [usize; KEYS],
    finished: [bool; KEYS],
}

impl Seen {
    fn check(&self, key: usize, begun: &Begun, is_held: bool) {
        match begun {
            Begun::Fresh(_) => assert!(self.sent[key] == 0 && !is_held, "it would be made twice"),
            Begun::Replay(result) => {
                assert!(self.finished[key] && result == key.to_string().as_bytes());
            }
            Begun::Running | Begun::Unavailable | Begun::Unknown => {}
            Begun::Different | Begun::Full(_) => panic!("{begun:?}"),
        }
    }
}

async fn run(steps: Vec<Step>) {
    let memory = Arc::new(Memory::refusing(Bounds { records: 99, bytes: 99_999 }));
    let mut processes: Vec<_> = (0..PROCESSES).map(|_| Process::start(&memory)).collect();
    let mut seen = Seen::default();
    for step in steps {
        match step {
            Step::Begin(at, key) => {
                let is_held = processes.iter().any(|process| process.calls[key].is_some());
                let begun = processes[at].begin(key).await;
                seen.check(key, &begun, is_held);
                if let Begun::Fresh(guard) = begun {
                    processes[at].calls[key] = Some((guard, false));
                }
            }
            Step::Crash(at) => processes[at].crash(&memory),
            Step::Drop(at, key) => drop(processes[at].calls[key].take()),
            Step::Finish(at, key) => match processes[at].calls[key].take() {
                Some((guard, true)) => {
                    seen.finished[key] = true;
                    guard.finish(key.to_string().as_bytes()).await;
                }
                call => processes[at].calls[key] = call,
            },
            Step::Free(at, key) => match processes[at].calls[key].take() {
                Some((guard, false)) => guard.free_key().await,
                call => processes[at].calls[key] = call,
            },
            Step::Reach(at, reach) => processes[at].store.set(reach),
            Step::Send(at, key) => {
                if let Some((_, is_sent)) = &mut processes[at].calls[key] {
                    seen.sent[key] += usize::from(!*is_sent);
                    *is_sent = true;
                }
                assert!(seen.sent[key] <= 1, "the service is asked twice");
            }
            Step::Wait(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
        }
    }
    settled(&mut processes, seen).await;
}

/// In the end, when the store answers and all leases of processes that are gone have lapsed, each key has an answer.
async fn settled(processes: &mut [Process], mut seen: Seen) {
    for process in &mut *processes {
        process.store.set(Reach::Answered);
    }
    tokio::time::sleep(LEASE * 2).await;
    for at in 0..PROCESSES {
        for key in 0..KEYS {
            let is_held = processes.iter().any(|process| process.calls[key].is_some());
            let begun = processes[at].begin(key).await;
            seen.check(key, &begun, is_held);
            match begun {
                Begun::Running => assert!(is_held, "a holder that is gone counts as gone"),
                Begun::Fresh(guard) => {
                    seen.sent[key] += 1;
                    seen.finished[key] = true;
                    guard.finish(key.to_string().as_bytes()).await;
                }
                Begun::Replay(_) | Begun::Unknown => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn processes_with_one_store_send_no_call_twice(steps in prop::collection::vec(step(), 1..80)) {
        runtime().block_on(run(steps));
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_renewed_while_its_holder_lives_and_its_lapse_frees_no_key() {
    let memory = Arc::new(Memory::refusing(Bounds { records: 99, bytes: 99_999 }));
    let (mut one, mut two) = (Process::start(&memory), Process::start(&memory));
    let guard = fresh(one.begin(0).await);
    for _ in 0..9 {
        tokio::time::sleep(LEASE / 2).await;
        assert!(matches!(two.begin(0).await, Begun::Running), "its holder lives");
    }
    guard.finish(b"0").await;
    assert!(matches!(two.begin(0).await, Begun::Replay(_)));
    let _held = fresh(one.begin(1).await);
    one.store.set(Reach::Away);
    tokio::time::sleep(LEASE / 2).await;
    assert!(matches!(two.begin(1).await, Begun::Running));
    tokio::time::sleep(LEASE / 2).await;
    for _ in 0..3 {
        assert!(matches!(two.begin(1).await, Begun::Unknown), "nobody knows");
        tokio::time::sleep(LEASE).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_holder_that_counted_as_gone_still_records_its_result() {
    let memory = Arc::new(Memory::refusing(Bounds { records: 99, bytes: 99_999 }));
    let (mut one, mut two) = (Process::start(&memory), Process::start(&memory));
    let guard = fresh(one.begin(0).await);
    one.store.set(Reach::Away);
    tokio::time::sleep(LEASE).await;
    assert!(matches!(two.begin(0).await, Begun::Unknown));
    one.store.set(Reach::Answered);
    guard.finish(b"0").await;
    assert!(matches!(two.begin(0).await, Begun::Replay(_)));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_known_not_to_have_been_sent_is_made_by_another_process() {
    let memory = Arc::new(Memory::refusing(Bounds { records: 99, bytes: 99_999 }));
    let (mut one, mut two) = (Process::start(&memory), Process::start(&memory));
    fresh(one.begin(0).await).free_key().await;
    fresh(two.begin(0).await).finish(b"0").await;
    assert!(matches!(one.begin(0).await, Begun::Replay(_)));
    // The store keeps the key and does not say so: the call is refused, and its record marked.
    one.store.set(Reach::Unheard);
    assert!(matches!(one.begin(1).await, Begun::Unavailable));
    let guard = fresh(two.begin(1).await);
    one.store.set(Reach::Answered);
    assert!(matches!(one.begin(1).await, Begun::Running));
    guard.finish(b"1").await;
    assert!(matches!(one.begin(1).await, Begun::Replay(_)));
}

#[tokio::test(start_paused = true)]
async fn a_short_call_renews_no_lease() {
    let store = Slow::store();
    let records = Records::over(store.clone(), TIME);
    let guard = fresh(begin(&records, "k", 1).await);
    tokio::time::sleep(LEASE / 4).await;
    guard.finish(b"1").await;
    assert_eq!(store.n_requests(), 2);
    let guard = fresh(begin(&records, "long", 1).await);
    tokio::time::sleep(LEASE).await;
    guard.finish(b"1").await;
    assert!((4..=5).contains(&store.n_requests()), "each third of the lease");
}

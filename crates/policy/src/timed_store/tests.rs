//! Tests a store that is slow, away and back, by a clock that stands still.

use std::{
    fmt as text,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use callgate_session::Bounds;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, Registry, layer::Context, layer::SubscriberExt};

use super::*;
use crate::{
    subscriber::set_thread_subscriber,
    tests::store::{Hook, Request, TestStore},
};

/// Requests that take a time; `u64::MAX` for ones that are refused.
#[derive(Debug, Default)]
struct Slow {
    milliseconds: AtomicU64,
    /// The time of a listing besides.
    milliseconds_of_lists: AtomicU64,
    n_requests: AtomicUsize,
}

impl Slow {
    async fn wait(milliseconds: &AtomicU64) -> Result<(), Error> {
        match milliseconds.load(Ordering::SeqCst) {
            u64::MAX => Err(Error::new(ErrorKind::Unavailable, "no connection")),
            milliseconds => {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                Ok(())
            }
        }
    }
}

#[async_trait]
impl Hook for Slow {
    async fn before(&self, request: Request<'_>) -> Result<(), Error> {
        self.n_requests.fetch_add(1, Ordering::SeqCst);
        Self::wait(&self.milliseconds).await?;
        if matches!(request, Request::List) {
            Self::wait(&self.milliseconds_of_lists).await?;
        }
        Ok(())
    }
}

struct Trial {
    slow: Arc<TestStore<Slow>>,
    timed: TimedStore,
}

impl Trial {
    fn new() -> Self {
        let slow = TestStore::new(Bounds { records: 9, bytes: 9_999 }, Slow::default());
        Self { timed: TimedStore::new(slow.clone()), slow }
    }

    fn takes(&self, milliseconds: u64) {
        self.slow.milliseconds.store(milliseconds, Ordering::SeqCst);
    }

    /// The end of a request, the milliseconds it took, and the requests that came to the store behind.
    async fn get(&self) -> (Result<(), Error>, u128, usize) {
        let (began, before) = (Instant::now(), self.slow.n_requests.load(Ordering::SeqCst));
        let key = Key::new(Space::Session, Owner::new(None, &Session::new("s")), "");
        let got = self.timed.get(&key, Instant::now().into_std()).await.map(drop);
        let n_requests = self.slow.n_requests.load(Ordering::SeqCst) - before;
        (got, began.elapsed().as_millis(), n_requests)
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_is_waited_for_once_and_tried_once_a_second() {
    let trial = Trial::new();
    trial.takes(899);
    assert!(trial.get().await.0.is_ok());
    trial.takes(u64::MAX - 1);
    for (waited, n_requests) in [(900, 2), (0, 0), (0, 0)] {
        let (got, took, asked) = trial.get().await;
        let error = got.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.retry_after(), Some(PAUSE));
        assert_eq!((took, asked), (waited, n_requests));
    }
    tokio::time::advance(PAUSE).await;
    let tries = tokio::join!(trial.get(), trial.get(), trial.get());
    let asked: Vec<_> = [&tries.0, &tries.1, &tries.2].into_iter().map(|tried| tried.1).collect();
    assert_eq!(asked.iter().filter(|took| **took == 0).count(), 2, "{asked:?}");
    trial.takes(0);
    tokio::time::advance(PAUSE).await;
    for n_expected in [2, 1] {
        let (got, _, asked) = trial.get().await;
        assert!(got.is_ok() && asked == n_expected, "it is back for everybody");
    }
}

#[tokio::test(start_paused = true)]
async fn a_large_request_that_fails_says_nothing_about_the_store() {
    let (lines, trial) = (Lines::default(), Trial::new());
    let _guard = set_thread_subscriber(Registry::default().with(lines.clone()));
    let group = Group::of_space(Space::Session);
    for milliseconds in [5_000, u64::MAX] {
        trial.slow.milliseconds_of_lists.store(milliseconds, Ordering::SeqCst);
        let listing = async || {
            let listed = trial.timed.list(&group, None, 9, Instant::now().into_std()).await;
            assert_eq!(listed.unwrap_err().kind(), ErrorKind::Unavailable);
        };
        let many = async { tokio::join!(listing(), listing(), listing(), listing()) };
        let (_, during) = tokio::join!(many, trial.get());
        assert!(during.0.is_ok());
        assert!(trial.get().await.0.is_ok(), "the next request reaches the store");
    }
    assert_eq!(*lines.0.lock().unwrap(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn each_request_reaches_a_store_that_refuses_at_once() {
    let trial = Trial::new();
    trial.takes(u64::MAX);
    for n_expected in [2, 1, 1] {
        let (got, took, asked) = trial.get().await;
        assert_eq!(got.unwrap_err().retry_after(), Some(PAUSE));
        assert_eq!((took, asked), (0, n_expected));
    }
    trial.takes(0);
    assert!(trial.get().await.0.is_ok());
}

#[derive(Clone, Debug, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Visit for Lines {
    fn record_debug(&mut self, field: &Field, value: &dyn text::Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }
}

#[tokio::test(start_paused = true)]
async fn each_change_of_the_store_is_one_line_of_the_log() {
    let (lines, trial) = (Lines::default(), Trial::new());
    let _guard = set_thread_subscriber(Registry::default().with(lines.clone()));
    for milliseconds in [0, u64::MAX, u64::MAX, 5_000, 5_000, 0, 0] {
        trial.takes(milliseconds);
        tokio::time::advance(PAUSE).await;
        drop(trial.get().await);
    }
    let lines = lines.0.lock().unwrap().clone();
    assert_eq!(lines, ["the store of `state` is away", "the store of `state` is back"]);
}

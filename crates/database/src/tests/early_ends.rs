//! Calls of drivers that end early, by their deadline or because their caller left, for tests on servers.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use callgate_testkit::{rounds, say, shortest_time};
use tokio::time::{Instant, timeout};

use crate::{
    driver::Driver,
    tests::steps::{one, read, rows, soon, value, write},
    transaction::{Failure, Transaction},
};

/// A driver on a server, and the words of its engine.
pub(crate) struct Served {
    pub(crate) driver: Driver,
    /// The query whose value is the number of a connection.
    pub(crate) connection: &'static str,
    /// Statements that take long, and some that send much.
    pub(crate) slow: &'static [&'static str],
    /// The number of other sessions that run something a second from now.
    pub(crate) running: Arc<dyn Fn() -> String + Send + Sync>,
}

fn endless(text: &str) -> [Transaction; 2] {
    [read([rows(text, &[])]), write([rows(text, &[])])]
}

impl Served {
    pub(crate) async fn connection(&self) -> String {
        let came = self.driver.run(read([rows(self.connection, &[])]), soon()).await.unwrap();
        value(&came).to_owned()
    }

    /// Nothing runs on the server. The runtime goes on meanwhile: it ends what runs.
    pub(crate) async fn is_idle(&self) {
        let running = Arc::clone(&self.running);
        let shown = tokio::task::spawn_blocking(move || running()).await.unwrap();
        assert_eq!(shown.lines().last().unwrap().trim(), "0");
    }

    pub(crate) async fn calls_end_at_their_deadline(&self) {
        for transaction in self.slow.iter().flat_map(|text| endless(text)) {
            let time = Duration::from_millis(400);
            let most = time + Duration::from_millis(200);
            let took = shortest_time(most, async || {
                // There is an open connection, so that its opening takes nothing of the time.
                self.connection().await;
                let (transaction, begun) = (transaction.clone(), Instant::now());
                let text = Arc::clone(&transaction.steps[0].text);
                let failed = self.driver.run(transaction, begun + time).await.unwrap_err();
                assert_eq!(failed, Failure::TimedOut { is_rolled_back: true }, "{text}");
                begun.elapsed()
            });
            let took = took.await;
            assert!(took <= most, "{took:?}");
        }
        self.is_idle().await;
    }

    /// Calls whose callers leave are ended, and their connections are not used again. `insert` is a change that is not kept.
    pub(crate) async fn calls_end_with_their_callers(&self, insert: &str) {
        for text in self.slow {
            let before = self.connection().await;
            let write = write([one(insert, &[]), rows(text, &[])]);
            let left = timeout(Duration::from_millis(100), self.driver.run(write, soon())).await;
            assert!(left.is_err());
            assert_ne!(self.connection().await, before);
            let read = read([rows(text, &[])]);
            let left = timeout(Duration::from_millis(100), self.driver.run(read, soon())).await;
            assert!(left.is_err());
        }
        self.is_idle().await;
    }

    /// A statement is gone fifty milliseconds after its deadline: the median of ten calls, of which every other one writes.
    /// `count` counts those of the server for `watcher`.
    pub(crate) async fn is_gone_soon(&self, endless_text: &str, watcher: &Driver, count: &str) {
        let most = Duration::from_millis(50);
        let median = shortest_time(most, async || {
            let mut times = Vec::new();
            for transaction in endless(endless_text).into_iter().cycle().take(10) {
                let before = self.connection().await;
                let deadline = Instant::now() + Duration::from_millis(150);
                let failed = self.driver.run(transaction, deadline).await;
                assert_eq!(failed.unwrap_err(), Failure::TimedOut { is_rolled_back: true });
                none_is_left(watcher, count).await;
                times.push(Instant::now().saturating_duration_since(deadline));
                assert_ne!(self.connection().await, before);
            }
            times.sort();
            let engine = self.driver.engine();
            say(&format!("{engine:?} ends statements {times:?} after their deadlines"));
            times[times.len() / 2]
        });
        let median = median.await;
        assert!(median <= most, "{median:?}");
    }
}

/// Waits until a count is zero.
pub(crate) async fn none_is_left(watcher: &Driver, count: &str) {
    let count = || read([rows(count, &[])]);
    while value(&watcher.run(count(), soon()).await.unwrap()) != "0" {}
}

/// The outcome of a future, unless it waits more than so many times: then it is dropped where it stands.
async fn within<F: Future>(mut n_waits: u64, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(move |cx| match future.as_mut().poll(cx) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending if n_waits == 0 => Poll::Ready(None),
        Poll::Pending => {
            n_waits -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Calls of two users over one connection, of which many are dropped at any point. `of` makes the transaction of a user out of a
/// random number; its last step, or that which returns rows, reads the names of the owners of all ten rows of the user.
pub(crate) async fn no_foreign_rows(
    driver: &Driver,
    most_waits: u64,
    of: impl Fn(u64, &str) -> Transaction,
) {
    let (mut seed, mut n_dropped, mut n_rows) = (1_u64, 0, 0);
    let n_calls = rounds(10_000, 1_000);
    for call in 0..n_calls {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let user = ["ann", "bob", ""][call % 3];
        let run = Box::pin(driver.run(of(seed, user), soon()));
        let came = match (seed >> 40) % 16 {
            0 => within((seed >> 20) % most_waits, run).await,
            _ => Some(run.await),
        };
        let Some(came) = came else {
            n_dropped += 1;
            continue;
        };
        let came = came.unwrap();
        let rows = &came.last().unwrap().rows;
        n_rows += rows.len();
        assert_eq!(rows.len(), if user.is_empty() { 0 } else { 10 });
        assert!(rows.rows().all(|row| row.value(0) == Some(Some(user))), "{call}");
    }
    assert!(n_dropped > n_calls / 200 && n_rows > n_calls, "{n_dropped} {n_rows}");
}

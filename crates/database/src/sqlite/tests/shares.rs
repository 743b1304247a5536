//! The turns of principals at the connections to a file.

use std::{
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use futures_util::{FutureExt as _, future::join_all};
use tokio::time::Instant;

use super::Shop;
use crate::{
    sqlite::{Sqlite, pool::Usage},
    transaction::{Access, Failure},
};

/// Uses a connection for a principal.
async fn work(
    driver: &Sqlite,
    principal: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<(), Failure> {
    let usage =
        Usage { principal, deadline: Instant::now() + Duration::from_hours(1), steps: None };
    let work = |_: &mut _| {
        work();
        Ok(())
    };
    driver.pool.use_connection(Access::Read, usage, work).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_waits_for_at_most_one_of_two_hundred_calls_of_another_principal() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    let (end, is_over) = mpsc::channel::<()>();
    let mut first = Box::pin(work(&driver, "greedy", move || is_over.recv().unwrap_or(())));
    assert!(first.as_mut().now_or_never().is_none());
    let turns = Arc::<Mutex<Vec<_>>>::default();
    let call = |principal| {
        let turns = Arc::clone(&turns);
        let note = move || turns.lock().unwrap().push(principal);
        let mut call = Box::pin(work(&driver, principal, note));
        // It waits from here on.
        assert!(call.as_mut().now_or_never().is_none());
        call
    };
    let calls: Vec<_> = ["greedy"; 200].into_iter().chain(["modest"]).map(call).collect();
    drop(end);
    first.await.unwrap();
    assert!(join_all(calls).await.iter().all(Result::is_ok));
    let turns = turns.lock().unwrap();
    assert!(turns[..2].contains(&"modest"), "{turns:?}");
}

//! Tests of the turns of principals, on connections that lead nowhere.

use tokio::task::yield_now;

use super::*;
use crate::shares::OPERATOR;

#[derive(Debug)]
struct Nowhere;

impl Dial for Nowhere {
    type Connection = Self;

    async fn open(&self) -> Result<Self, Error> {
        Ok(Self)
    }

    async fn cancel_and_close(&self, _: Self) {}
}

impl Pooled for Nowhere {
    fn is_closed(&mut self) -> bool {
        false
    }

    fn may_still_run(&mut self) -> bool {
        false
    }

    async fn run(&mut self, _: &Transaction, _: Conditions<'_>) -> Ending {
        Ending::NotBegun(Failure::Internal)
    }
}

fn far() -> Instant {
    Instant::now() + Duration::from_hours(1)
}

/// The principals of calls in the order in which they have the only connection, which is in use while they come.
async fn turns(principals: &[&'static str]) -> Vec<&'static str> {
    let pool = Pool::new(Nowhere, 1);
    let used = pool.borrow(principals[0], far()).await.unwrap();
    let (turns, mut calls) = (Arc::<Mutex<Vec<_>>>::default(), JoinSet::new());
    for &principal in principals {
        let (pool, turns) = (pool.clone(), Arc::clone(&turns));
        calls.spawn(async move {
            let loan = pool.borrow(principal, far()).await.unwrap();
            turns.lock().unwrap().push(principal);
            loan.give_back();
        });
        // It waits from here on.
        yield_now().await;
    }
    used.give_back();
    calls.join_all().await;
    Arc::into_inner(turns).unwrap().into_inner().unwrap()
}

#[tokio::test]
async fn a_call_waits_for_at_most_one_of_two_hundred_calls_of_another_principal() {
    let calls = [&["greedy"; 200][..], &["modest"]].concat();
    let turns = turns(&calls).await;
    assert!(turns[..2].contains(&"modest"), "{turns:?}");
    assert_eq!(turns.len(), calls.len());
}

#[tokio::test]
async fn a_load_waits_for_at_most_one_of_two_hundred_calls() {
    let calls = [&["greedy"; 200][..], &[OPERATOR]].concat();
    let turns = turns(&calls).await;
    assert!(turns[..2].contains(&OPERATOR), "{turns:?}");
}

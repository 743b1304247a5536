//! Tests that each principal gets its share and its turn, and that nothing stays taken.

use std::pin::Pin;

use super::*;

type Entering = Pin<Box<dyn Future<Output = Option<QueuePermit>>>>;

/// A request that waits in a queue.
fn entering(queue: &FairQueue, principal: &'static str, units: usize) -> Entering {
    let queue = queue.clone();
    let mut entering: Entering = Box::pin(async move { queue.enter(principal, units).await });
    assert!(poll(&mut entering).is_pending(), "{principal} does not wait");
    entering
}

fn poll(entering: &mut Entering) -> Poll<Option<QueuePermit>> {
    entering.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// The permit of a request whose turn it is.
#[track_caller]
fn permit(entering: &mut Entering) -> QueuePermit {
    match poll(entering) {
        Poll::Ready(Some(permit)) => permit,
        other => panic!("{other:?}"),
    }
}

fn queue(units: usize, each: usize, waiting: usize) -> FairQueue {
    FairQueue::new(QueueBounds { units, each, waiting })
}

#[track_caller]
fn is_unused(queue: &FairQueue) {
    let state = queue.0.lock();
    assert_eq!((state.n_used, state.n_waiting), (0, 0), "{state:?}");
    assert!(state.principals.is_empty() && state.turns.is_empty(), "{state:?}");
    assert!(state.granted.is_empty() && state.wakers.is_empty(), "{state:?}");
}

#[test]
fn a_principal_with_many_waiting_requests_does_not_delay_another() {
    let queue = queue(2, 2, 2_000);
    let used = [queue.try_enter("kim", 1).unwrap(), queue.try_enter("kim", 1).unwrap()];
    let mut greedy: Vec<_> = (0..900).map(|_| entering(&queue, "kim", 1)).collect();
    let mut modest = entering(&queue, "lee", 1);
    let [first, second] = used;
    drop(first);
    let of_modest = permit(&mut modest);
    drop(second);
    drop(permit(&mut greedy[0]));
    drop((of_modest, greedy, modest));
    is_unused(&queue);
}

#[test]
fn units_of_a_share_are_left_free_for_others() {
    let queue = queue(8, 2, 100);
    let used = queue.try_enter("kim", 5).unwrap();
    assert_eq!(used.units, 2, "more than a share counts as the share");
    let greedy = entering(&queue, "kim", 1);
    assert!(queue.try_enter("lee", 2).is_some() && queue.try_enter("kim", 1).is_none());
    drop((used, greedy));
    is_unused(&queue);
}

#[test]
fn a_large_request_gets_its_units_although_small_ones_keep_coming() {
    let queue = queue(4, 4, 100);
    let small: Vec<_> = (0..4).map(|_| queue.try_enter("kim", 1).unwrap()).collect();
    let mut large = entering(&queue, "lee", 4);
    assert!(queue.try_enter("mia", 1).is_none());
    let later = entering(&queue, "mia", 1);
    drop(small);
    drop(permit(&mut large));
    drop(later);
    is_unused(&queue);
}

#[test]
fn a_lone_principal_fills_half_of_the_queue_and_a_second_one_half_of_the_rest() {
    let queue = queue(1, 1, 8);
    let used = queue.try_enter("ada", 1).unwrap();
    let mut waiting = Vec::new();
    for (principal, n_expected) in [("kim", 4), ("lee", 2), ("mia", 1), ("tom", 1), ("zoe", 0)] {
        let mut n_waiting = 0;
        loop {
            let queue = queue.clone();
            let mut entering: Entering = Box::pin(async move { queue.enter(principal, 1).await });
            if poll(&mut entering).is_ready() {
                break;
            }
            n_waiting += 1;
            waiting.push(entering);
        }
        assert_eq!(n_waiting, n_expected, "{principal}");
    }
    drop((used, waiting));
    is_unused(&queue);
}

/// Covers requests that leave while they wait, and with units that they have not taken over.
#[test]
fn a_request_that_leaves_gives_back_its_turn_and_its_units() {
    let queue = queue(1, 1, 100);
    let used = queue.try_enter("kim", 1).unwrap();
    let (leaving, granted) = (entering(&queue, "lee", 1), entering(&queue, "mia", 1));
    let mut last = entering(&queue, "tom", 1);
    drop(leaving);
    drop(used);
    assert!(queue.0.lock().n_used == 1, "it belongs to the request that waits longest");
    drop(granted);
    drop(permit(&mut last));
    drop(last);
    is_unused(&queue);
}

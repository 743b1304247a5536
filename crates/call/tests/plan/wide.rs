//! The first call of an operation with very many inputs: its work grows with their number and not with its square.

use crate::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// The nanoseconds that this thread takes to plan the first call of an operation with so many inputs; the least of a
/// few, since others make it wait.
fn work(n_inputs: usize) -> i64 {
    let parameters: Vec<_> = (0..n_inputs)
        .map(|n| json!({"name": format!("q{n}"), "in": "query", "schema": {"type": "string"}}))
        .collect();
    let rounds = (0..3).map(|_| {
        let plan = operation("get", "/wide", json!({"parameters": parameters}));
        let started = now();
        call(&plan, json!({})).result.unwrap();
        now() - started
    });
    rounds.min().unwrap()
}

fn now() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

#[test]
fn four_times_as_many_inputs_are_four_times_the_work() {
    let (some, many) = (work(100), work(400));
    assert!(many < some * 9, "{some} ns, then {many} ns");
}

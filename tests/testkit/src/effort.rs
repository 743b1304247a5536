//! The effort of long tests: how many rounds they take, and the time that they take of the processor; the time of what must be
//! fast.

use std::{env, fs, time::Duration};

/// The rounds of a long test: all of them where the variable `CALLGATE_ROUNDS` is `all`, as before a release, and few for every
/// change.
pub fn rounds(all: usize, few: usize) -> usize {
    let is_all = env::var_os("CALLGATE_ROUNDS").is_some_and(|rounds| rounds == "all");
    if is_all { all } else { few }
}

/// The items of a long test: all of them, or few at even distances. [`rounds`] says when.
pub fn some_of<T>(items: Vec<T>, few: usize) -> Vec<T> {
    let n_items = items.len();
    let n_taken = rounds(n_items, few).min(n_items);
    let is_taken = |at: &usize| at * n_taken / n_items != (at + 1) * n_taken / n_items;
    items.into_iter().enumerate().filter(|(at, _)| is_taken(at)).map(|(_, item)| item).collect()
}

/// The shortest of five times at most, measured until it is within a bar: a busy machine delays single ones.
pub async fn shortest_time(bar: Duration, mut measure: impl AsyncFnMut() -> Duration) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..5 {
        shortest = shortest.min(measure().await);
        if shortest <= bar {
            break;
        }
    }
    shortest
}

/// The time that this process has taken of the processor, in steps of 10 ms; no time where the system does not say it.
pub fn processor_time() -> Duration {
    let shown = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // proc(5): the times in user and in system mode, fourteenth and fifteenth, in hundredths of a second.
    let after_name = shown.rsplit_once(')').map_or("", |(_, rest)| rest);
    let times = after_name.split_whitespace().skip(11).take(2);
    let hundredths: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    Duration::from_millis(hundredths * 10)
}

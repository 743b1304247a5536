//! Keeps whole results for a while: those that were cut, and files a model cannot read. In memory, bounded in number,
//! bytes and time; what is oldest goes first. A handle is drawn at random, so whoever has one was given it.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use callgate_tool::{Handle, StoredResult};
use tokio::time::Instant;

/// Results by their handles, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Results {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    handle: Handle,
    until: Instant,
    result: StoredResult,
}

impl Results {
    /// Keeps a result; `None` where it is too large or no handle can be drawn.
    pub(crate) fn keep(&self, media_type: String, bytes: Bytes) -> Option<Handle> {
        let size = bytes.len();
        let mut random = [0; 16];
        if size > MAX_BYTES || getrandom::fill(&mut random).is_err() {
            return None;
        }
        let handle = Handle::from_random(u128::from_ne_bytes(random));
        let now = Instant::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|one| one.until > now);
        let mut total = kept.iter().map(|one| one.result.bytes.len()).sum::<usize>();
        while kept.len() >= MAX_RESULTS || total + size > MAX_BYTES {
            let Some(oldest) = kept.pop_front() else { break };
            total -= oldest.result.bytes.len();
        }
        let result = StoredResult::new(media_type, bytes);
        kept.push_back(Kept { handle: handle.clone(), until: now + TIME_TO_LIVE, result });
        Some(handle)
    }

    /// The result a handle names, while it is kept.
    pub(crate) fn get(&self, handle: &Handle) -> Option<StoredResult> {
        let now = Instant::now();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|one| one.handle == *handle && one.until > now);
        found.map(|one| one.result.clone())
    }
}

/// As long as a conversation comes back to what it was told.
const TIME_TO_LIVE: Duration = Duration::from_mins(15);
/// All results together: sixty-four answers of the default bound.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// As many as a busy agent makes in that time.
const MAX_RESULTS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_result_is_kept_for_its_time() {
        let results = Results::default();
        let handle = results.keep("a/b".to_owned(), Bytes::from_static(b"abc")).unwrap();
        assert_eq!(results.get(&handle).unwrap().bytes, "abc");
        assert_eq!(results.get(&Handle::from_random(7)), None);
        tokio::time::advance(TIME_TO_LIVE).await;
        assert_eq!(results.get(&handle), None);
    }

    #[tokio::test]
    async fn the_oldest_goes_first() {
        let results = Results::default();
        let large = Bytes::from(vec![0; MAX_BYTES / 2]);
        let first = results.keep(String::new(), large.clone()).unwrap();
        let second = results.keep(String::new(), large.clone()).unwrap();
        let third = results.keep(String::new(), large).unwrap();
        assert!(results.get(&first).is_none());
        assert!(results.get(&second).is_some() && results.get(&third).is_some());
        assert!(results.keep(String::new(), Bytes::from(vec![0; MAX_BYTES + 1])).is_none());
        for _ in 0..=MAX_RESULTS {
            results.keep(String::new(), Bytes::new());
        }
        assert!(results.get(&third).is_none());
    }
}

//! Puts a record into a store that does not answer for a moment, where the record is the only trace of work that was done.

use std::time::Duration;

use callgate_session::{Error, ErrorKind, Expected, Key, Record, Store, Version};
use tokio::time::{Instant, sleep};

/// Puts a record, and tries again for this time while the store does not answer. An attempt that was not answered may have been
/// kept: then its record is found, and is the one that was put.
///
/// # Errors
/// The errors of [`Store::put`].
#[doc(hidden)]
pub async fn put_record_with_retries(
    store: &dyn Store,
    key: &Key,
    record: Record,
    expected: Expected,
    patience: Duration,
) -> Result<Version, Error> {
    let end = Instant::now() + patience;
    let mut is_unsure = false;
    loop {
        let put = store.put(key, record.clone(), expected, now()).await;
        let error = match put {
            Err(error) if is_unsure && error.kind() == ErrorKind::Conflict => {
                match store.get(key, now()).await {
                    Ok(Some(stored)) if stored.record.bytes() == record.bytes() => {
                        return Ok(stored.version);
                    }
                    Ok(_) => return Err(error),
                    Err(unread) => unread,
                }
            }
            Err(error) => error,
            kept => return kept,
        };
        if error.kind() != ErrorKind::Unavailable || Instant::now() >= end {
            return Err(error);
        }
        is_unsure = true;
        sleep(error.retry_after().unwrap_or(PAUSE).min(PAUSE)).await;
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The pause before the store is asked again.
const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use async_trait::async_trait;
    use callgate_session::{Bounds, Group, Memory, Owner, Space, Stored};
    use callgate_tool::Session;

    use super::*;

    /// A store that does not answer its next changes; `true` says that one is made all the same.
    #[derive(Debug)]
    struct Silent(Memory, Mutex<Vec<bool>>);

    #[async_trait]
    impl Store for Silent {
        async fn get(&self, key: &Key, now: std::time::Instant) -> Result<Option<Stored>, Error> {
            self.0.get(key, now).await
        }

        async fn list(
            &self,
            group: &Group,
            after: Option<&Key>,
            most: usize,
            now: std::time::Instant,
        ) -> Result<Vec<(Key, Stored)>, Error> {
            self.0.list(group, after, most, now).await
        }

        async fn put(
            &self,
            key: &Key,
            record: Record,
            expected: Expected,
            now: std::time::Instant,
        ) -> Result<Version, Error> {
            let silence = self.1.lock().unwrap_or_else(PoisonError::into_inner).pop();
            if silence != Some(false) {
                let version = self.0.put(key, record, expected, now).await?;
                if silence.is_none() {
                    return Ok(version);
                }
            }
            Err(Error::new(ErrorKind::Unavailable, "no answer"))
        }

        async fn remove(
            &self,
            key: &Key,
            expected: Expected,
            now: std::time::Instant,
        ) -> Result<bool, Error> {
            self.0.remove(key, expected, now).await
        }
    }

    async fn put(silences: &[bool], before: Option<&str>, expected: Expected) -> Option<ErrorKind> {
        let memory = Memory::new(Bounds { records: 9, bytes: 4096 });
        let key = Key::new(Space::Program, Owner::new(None, &Session::default()), "a");
        if let Some(before) = before {
            memory.put(&key, Record::json(before).unwrap(), Expected::Absent, now()).await.unwrap();
        }
        let store = Silent(memory, Mutex::new(silences.to_vec()));
        let record = Record::json("mine").unwrap();
        let patience = Duration::from_secs(5);
        let put = put_record_with_retries(&store, &key, record, expected, patience).await;
        let stored = store.get(&key, now()).await.unwrap();
        if let Ok(version) = put {
            let stored = stored.unwrap();
            assert_eq!(stored.version, version);
            assert_eq!(stored.record.read::<String>().unwrap(), "mine");
        }
        put.err().map(|error| error.kind())
    }

    #[tokio::test(start_paused = true)]
    async fn a_record_is_put_once_the_store_answers_and_never_in_place_of_another() {
        assert_eq!(put(&[], None, Expected::Absent).await, None);
        assert_eq!(put(&[false, true, false], None, Expected::Absent).await, None);
        assert_eq!(put(&[true], Some("b"), Expected::Any).await, None);
        let taken = put(&[false], Some("b"), Expected::Absent).await;
        assert_eq!(taken, Some(ErrorKind::Conflict));
        assert_eq!(put(&[false; 20], None, Expected::Absent).await, Some(ErrorKind::Unavailable));
    }
}

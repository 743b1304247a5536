//! The record of a key in the form for a store: a letter for its state, the digest of its request, its holder, the end of
//! the holder's lease, and the result. The end is said by the time that is then left of the record, so that the store's
//! clock tells it.

use std::time::Duration;

use callgate_session::Record;

use super::holders::Holder;
use crate::digest::Digest;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry<'a> {
    pub(super) digest: Digest,
    pub(super) holder: Holder,
    /// The time until the holder counts as gone.
    pub(super) lease: Duration,
    pub(super) state: State<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State<'a> {
    Ended(&'a [u8]),
    Running,
    Unknown,
    /// The request was not sent, and nobody makes it.
    Unsent,
}

impl<'a> Entry<'a> {
    /// Reads a record that a store returned; `None` if it is in another form.
    pub(super) fn from_record(record: &'a Record) -> Option<Self> {
        let (letter, rest) = record.bytes().split_first()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let (holder, rest) = rest.split_first_chunk()?;
        let (lapse, rest) = rest.split_first_chunk()?;
        let state = match letter {
            b'e' => State::Ended(rest),
            b'r' if rest.is_empty() => State::Running,
            b'u' if rest.is_empty() => State::Unknown,
            b'n' if rest.is_empty() => State::Unsent,
            _ => return None,
        };
        let lapse = Duration::from_millis(u64::from_le_bytes(*lapse));
        // A store that does not say how much time is left lets no lease lapse.
        let left = record.time_to_live().unwrap_or(Duration::MAX);
        let lease = left.saturating_sub(lapse);
        Some(Self { digest: *digest, holder: *holder, lease, state })
    }

    pub(super) fn encode_record(&self, time_to_live: Duration) -> Record {
        let (letter, result): (u8, &[u8]) = match &self.state {
            State::Ended(result) => (b'e', result),
            State::Running => (b'r', &[]),
            State::Unknown => (b'u', &[]),
            State::Unsent => (b'n', &[]),
        };
        let lapse = time_to_live.saturating_sub(self.lease).as_millis();
        let lapse = u64::try_from(lapse).unwrap_or(u64::MAX).to_le_bytes();
        let bytes = [&[letter][..], &self.digest, &self.holder, &lapse, result].concat();
        Record::new("application/octet-stream", bytes.into()).with_time_to_live(time_to_live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_lapses_by_the_time_that_the_store_says_is_left() {
        let lease = Duration::from_secs(30);
        let entry = Entry { digest: [1; 32], holder: [2; 16], lease, state: State::Running };
        let (hour, second) = (Duration::from_hours(1), Duration::from_secs(1));
        let record = entry.encode_record(hour);
        assert_eq!(Entry::from_record(&record), Some(entry));
        let after =
            |seconds: u32| record.clone().with_time_to_live(hour.saturating_sub(second * seconds));
        let lease_after = |seconds| Entry::from_record(&after(seconds)).unwrap().lease.as_secs();
        assert_eq!([0, 29, 30, 31, 3600].map(lease_after), [30, 1, 0, 0, 0]);
        let silent = Record::new("", record.bytes().clone());
        assert!(
            Entry::from_record(&silent).unwrap().lease > hour,
            "nothing says that it has lapsed"
        );
    }

    #[test]
    fn each_state_is_read_back_and_shortened_bytes_are_refused() {
        for state in [State::Ended(b""), State::Ended(b"7"), State::Unknown, State::Unsent] {
            let lease = Duration::ZERO;
            let entry = Entry { digest: [1; 32], holder: [2; 16], lease, state };
            let record = entry.encode_record(Duration::from_secs(9));
            assert_eq!(Entry::from_record(&record), Some(entry));
            for length in 0..57 {
                assert_eq!(
                    Entry::from_record(&Record::new("", record.bytes().slice(..length))),
                    None
                );
            }
        }
    }
}

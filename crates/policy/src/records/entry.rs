//! The record of a key in the form for a store: a letter for its state, the digest of its request, and the result or the
//! holder.

use callgate_session::Record;

use super::holders::Holder;
use crate::digest::Digest;

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    pub(super) digest: Digest,
    pub(super) state: State<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State<'a> {
    Ended(&'a [u8]),
    Running(Holder),
    Unknown,
}

impl<'a> Entry<'a> {
    /// Reads a record; `None` if it is in another form.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let (letter, rest) = bytes.split_first()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let state = match letter {
            b'e' => State::Ended(rest),
            b'r' => State::Running(rest.try_into().ok()?),
            b'u' if rest.is_empty() => State::Unknown,
            _ => return None,
        };
        Some(Self { digest: *digest, state })
    }

    pub(super) fn record(&self) -> Record {
        let (letter, rest): (u8, &[u8]) = match &self.state {
            State::Ended(result) => (b'e', result),
            State::Running(holder) => (b'r', holder),
            State::Unknown => (b'u', &[]),
        };
        let bytes = [&[letter], self.digest.as_slice(), rest].concat();
        Record::new("application/octet-stream", bytes.into())
    }
}

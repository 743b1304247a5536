//! Collects the chunks of a response body up to a limit. A single chunk, the usual case, is passed on without a copy.

use bytes::{Bytes, BytesMut};

use crate::error::{self, Error};

/// The bytes so far, never more than the limit.
#[derive(Debug)]
pub(crate) struct BoundedBody {
    bound: usize,
    expected: usize,
    first: Bytes,
    joined: BytesMut,
}

impl BoundedBody {
    /// An empty body. `expected` is the length that the service announced; a length over the limit is refused at once.
    pub(crate) fn new(bound: usize, expected: Option<u64>) -> Result<Self, Error> {
        let expected = match expected.map(usize::try_from) {
            Some(Ok(length)) if length <= bound => length,
            Some(_) => return Err(error::too_large(bound)),
            None => 0,
        };
        Ok(Self { bound, expected, first: Bytes::new(), joined: BytesMut::new() })
    }

    pub(crate) fn push(&mut self, chunk: Bytes) -> Result<(), Error> {
        let length = self.first.len().max(self.joined.len()).saturating_add(chunk.len());
        if length > self.bound {
            return Err(error::too_large(self.bound));
        }
        if self.joined.is_empty() && self.first.is_empty() {
            self.first = chunk;
            return Ok(());
        }
        if self.joined.is_empty() {
            self.joined.reserve(self.expected.max(length));
            self.joined.extend_from_slice(&self.first);
            self.first = Bytes::new();
        }
        self.joined.extend_from_slice(&chunk);
        Ok(())
    }

    pub(crate) fn finish(self) -> Bytes {
        if self.joined.is_empty() { self.first } else { self.joined.freeze() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[track_caller]
    fn check(bound: usize, chunks: &[&'static str], expected: Result<&str, ErrorKind>) {
        let mut body = BoundedBody::new(bound, None).unwrap();
        let pushed =
            chunks.iter().try_for_each(|chunk| body.push(Bytes::from_static(chunk.as_bytes())));
        let finished = pushed.map(|()| body.finish()).map_err(|error| error.kind());
        assert_eq!(finished, expected.map(|text| Bytes::copy_from_slice(text.as_bytes())));
    }

    #[test]
    fn chunks_are_joined_up_to_the_bound() {
        check(4, &[], Ok(""));
        check(4, &["", "abcd", ""], Ok("abcd"));
        check(4, &["a", "b", "", "cd"], Ok("abcd"));
        check(4, &["abcde"], Err(ErrorKind::TooLarge));
        check(4, &["ab", "cde"], Err(ErrorKind::TooLarge));
        check(4, &["a", "bc", "de"], Err(ErrorKind::TooLarge));
        check(0, &[""], Ok(""));
        check(0, &["a"], Err(ErrorKind::TooLarge));
    }

    #[test]
    fn an_announced_length_over_the_bound_is_refused_before_a_chunk_is_read() {
        for (length, fits) in [(4, true), (5, false), (u64::MAX, false)] {
            assert_eq!(BoundedBody::new(4, Some(length)).is_ok(), fits, "{length}");
        }
    }

    #[test]
    fn one_chunk_is_not_copied() {
        let chunk = Bytes::from(vec![7; 100]);
        let mut body = BoundedBody::new(100, Some(100)).unwrap();
        body.push(chunk.clone()).unwrap();
        assert_eq!(body.finish().as_ptr(), chunk.as_ptr());
    }
}

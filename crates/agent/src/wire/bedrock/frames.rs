//! The binary events of Amazon, `application/vnd.amazon.eventstream`, from bytes that come in any pieces: lengths, headers, a
//! payload, and two checksums (<https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html>).

use super::crc32::crc32;
use crate::wire::{fault::ReplyFault, stream::unreadable_event};

/// Bytes of a stream, from which whole events are taken.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    /// The bytes that were taken.
    n_taken: usize,
}

/// One event.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Frame {
    /// `event`, `exception` or `error`.
    pub(super) message_type: String,
    /// The name of the event, the exception or the error.
    pub(super) name: String,
    /// The words of an error, which has no payload.
    pub(super) error: String,
    pub(super) payload: Vec<u8>,
}

impl Frames {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.n_taken);
        self.n_taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next event, if it is whole.
    pub(super) fn next_frame(&mut self) -> Result<Option<Frame>, ReplyFault> {
        let rest = self.bytes.get(self.n_taken..).unwrap_or_default();
        let Some((lengths, after)) = rest.split_first_chunk::<8>() else { return Ok(None) };
        let Some((sum, _)) = after.split_first_chunk::<4>() else { return Ok(None) };
        if crc32(lengths) != u32::from_be_bytes(*sum) {
            return Err(unreadable_event("its lengths do not have their checksum"));
        }
        let [total, headers] = frame_lengths(*lengths);
        let has_space = headers <= MOST_HEADERS && headers.saturating_add(OVERHEAD) <= total;
        if !has_space || total > MOST_BYTES {
            return Err(unreadable_event("its lengths are impossible"));
        }
        let Some((message, sum)) = rest.get(..total).and_then(<[u8]>::split_last_chunk::<4>) else {
            return Ok(None);
        };
        if crc32(message) != u32::from_be_bytes(*sum) {
            return Err(unreadable_event("it does not have its checksum"));
        }
        let data = message.get(PRELUDE..).unwrap_or_default();
        let (headers, payload) = data.split_at_checked(headers).unwrap_or_default();
        let frame = Frame { payload: payload.to_owned(), ..frame_with_headers(headers)? };
        self.n_taken = self.n_taken.saturating_add(total);
        Ok(Some(frame))
    }
}

fn frame_lengths(bytes: [u8; 8]) -> [usize; 2] {
    let both = u64::from_be_bytes(bytes);
    [both >> 32, both & u64::from(u32::MAX)].map(|one| usize::try_from(one).unwrap_or(usize::MAX))
}

/// A frame with what its headers say.
fn frame_with_headers(bytes: &[u8]) -> Result<Frame, ReplyFault> {
    let mut frame = Frame::default();
    let mut rest = Rest(bytes);
    while !rest.0.is_empty() {
        let (name, value) =
            rest.read_header().ok_or_else(|| unreadable_event("its headers break off"))?;
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b":message-type" => frame.message_type = text(),
            b":error-code" | b":event-type" | b":exception-type" => frame.name = text(),
            b":error-message" => frame.error = text(),
            _ => {}
        }
    }
    Ok(frame)
}

/// Bytes that were not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, n_bytes: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(n_bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn read_byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn read_length(&mut self) -> Option<usize> {
        let bytes = self.take(2)?.first_chunk::<2>()?;
        Some(usize::from(u16::from_be_bytes(*bytes)))
    }

    /// The name of a header and the bytes of its value.
    fn read_header(&mut self) -> Option<(&'b [u8], &'b [u8])> {
        let n_name = self.read_byte()?;
        let name = self.take(usize::from(n_name))?;
        let n_value = match self.read_byte()? {
            // True and false.
            0 | 1 => 0,
            // Integers of 1, 2, 4 and 8 bytes; a moment is one of 8.
            2 => 1,
            3 => 2,
            4 => 4,
            5 | 8 => 8,
            // Bytes and texts.
            6 | 7 => self.read_length()?,
            // A UUID.
            9 => 16,
            _ => return None,
        };
        Some((name, self.take(n_value)?))
    }
}

/// The lengths and their checksum.
const PRELUDE: usize = 12;
/// The prelude and the checksum of the whole.
const OVERHEAD: usize = 16;
/// The bounds of Amazon's own readers.
const MOST_BYTES: usize = 16 * 1024 * 1024;
const MOST_HEADERS: usize = 128 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of Amazon's own tests: one header of text, and a payload.
    const KNOWN: [u8; 61] = *b"\x00\x00\x00\x3d\x00\x00\x00\x20\x07\xfd\x83\x96\x0ccontent-type\x07\x00\x10application/json{'foo':'bar'}\x8d\x9c\x08\xb1";

    #[test]
    fn a_message_is_read_from_pieces_of_any_length() {
        for n_bytes in 1..=KNOWN.len() {
            let (mut frames, mut read) = (Frames::default(), Vec::new());
            for piece in [KNOWN, KNOWN].concat().chunks(n_bytes) {
                frames.push(piece);
                read.extend(std::iter::from_fn(|| frames.next_frame().unwrap()));
            }
            let expected = || Frame { payload: b"{'foo':'bar'}".to_vec(), ..Frame::default() };
            assert_eq!(read, [expected(), expected()]);
        }
    }

    #[test]
    fn no_message_is_read_of_bytes_that_end_within_it() {
        for n_bytes in 0..KNOWN.len() {
            let mut frames = Frames::default();
            frames.push(&KNOWN[..n_bytes]);
            assert_eq!(frames.next_frame(), Ok(None), "{n_bytes}");
        }
    }

    #[test]
    fn a_message_with_any_other_bit_is_refused() {
        for at in 0..KNOWN.len() * 8 {
            let mut other = KNOWN;
            other[at / 8] ^= 1 << (at % 8);
            let mut frames = Frames::default();
            frames.push(&other);
            let said = frames.next_frame().unwrap_err().message;
            assert!(said.contains("checksum"), "bit {at}: {said}");
        }
    }

    /// A message whose checksums are right.
    fn sealed(total: u32, headers: &[u8]) -> Vec<u8> {
        let n_headers = u32::try_from(headers.len()).unwrap();
        let mut bytes = [total.to_be_bytes(), n_headers.to_be_bytes()].concat();
        bytes.extend(crc32(&bytes).to_be_bytes());
        bytes.extend(headers);
        bytes.extend(crc32(&bytes).to_be_bytes());
        bytes
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let mut frames = Frames::default();
        frames.push(bytes);
        match (frames.next_frame(), expected) {
            (Ok(Some(frame)), Ok(name)) => assert_eq!(frame.name, name),
            (Err(fault), Err(part)) => assert!(fault.message.contains(part), "{fault:?}"),
            (read, _) => panic!("{read:?}, not {expected:?}"),
        }
    }

    #[test]
    fn impossible_lengths_and_headers_are_refused() {
        check(&sealed(15, b""), Err("impossible"));
        check(&sealed(16, b"\x01a\x00"), Err("impossible"));
        check(&sealed(16 * 1024 * 1024 + 1, b""), Err("impossible"));
        let headers = |headers: &[u8]| sealed(16 + u32::try_from(headers.len()).unwrap(), headers);
        check(&headers(b"\x05a"), Err("break off"));
        check(&headers(b"\x01a"), Err("break off"));
        check(&headers(b"\x01a\x0a"), Err("break off"));
        check(&headers(b"\x01a\x07\x00\x09b"), Err("break off"));
        check(&headers(&vec![0; 128 * 1024 + 1]), Err("impossible"));
    }

    #[test]
    fn headers_of_every_type_are_passed_over() {
        let values: [(u8, &[u8]); 10] = [
            (0, b""),
            (1, b""),
            (2, b"\x01"),
            (3, b"\x01\x02"),
            (4, b"1234"),
            (5, b"12345678"),
            (6, b"\x00\x02ab"),
            (7, b"\x00\x02ab"),
            (8, b"12345678"),
            (9, b"1234567890123456"),
        ];
        for (kind, value) in values {
            let headers = [b"\x01x", &[kind][..], value, b"\x0b:event-type\x07\x00\x04stop"];
            let headers = headers.concat();
            check(&sealed(16 + u32::try_from(headers.len()).unwrap(), &headers), Ok("stop"));
        }
    }
}

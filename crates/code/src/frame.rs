//! Frames between a program and its worker: four bytes of length, the first of them the highest, and a JSON text. Both sides bound what
//! they read, since neither trusts the other.

#[cfg(any(test, all(feature = "monty", unix)))]
use std::io::{self, ErrorKind, Read};

use callgate_tool::Value;

/// The longest frame that comes from a worker: arguments of a call, or a result with its output.
pub(crate) const MOST_FROM_WORKER: usize = 4 << 20;
/// The longest frame that a worker reads: the whole result of a call.
pub(crate) const MOST_TO_WORKER: usize = 64 << 20;

/// The bytes that are read at once, and kept for the next frames.
pub(crate) const MOST_READ: usize = 16 << 10;

/// The bytes of a frame with the text that `write` appends; `None` if it is longer than `most`.
pub(crate) fn frame_bytes(write: impl FnOnce(&mut String), most: usize) -> Option<Vec<u8>> {
    // The length takes the place of these four.
    let mut text = "\0\0\0\0".to_owned();
    write(&mut text);
    let length = text.len().checked_sub(size_of::<u32>()).filter(|length| *length <= most)?;
    let length = u32::try_from(length).ok()?;
    let mut bytes = text.into_bytes();
    *bytes.first_chunk_mut()? = length.to_be_bytes();
    Some(bytes)
}

/// Reads a frame; `None` at the end of the input.
#[cfg(any(test, all(feature = "monty", unix)))]
pub(crate) fn read_frame(input: &mut dyn Read) -> io::Result<Option<Value>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_be_bytes(length);
    if usize::try_from(length).map_or(true, |length| length > MOST_TO_WORKER) {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut text = Vec::with_capacity(MOST_READ.min(usize::try_from(length).unwrap_or(MOST_READ)));
    let n_read = input.take(length.into()).read_to_end(&mut text)?;
    if u64::try_from(n_read).ok() != Some(length.into()) {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Value::from_slice(&text).map(Some).map_err(|_| ErrorKind::InvalidData.into())
}

/// The frames in bytes that arrive piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) buffer: Vec<u8>,
}

/// Bytes that are no frame: too long, or no JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Malformed;

impl Frames {
    /// The next frame that has arrived whole.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Value>, Malformed> {
        let Some((length, rest)) = self.buffer.split_first_chunk::<4>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| Malformed)?;
        if length > MOST_FROM_WORKER {
            return Err(Malformed);
        }
        let Some(text) = rest.get(..length) else { return Ok(None) };
        let message = Value::from_slice(text).map_err(|_| Malformed)?;
        self.buffer.drain(..length.saturating_add(4));
        if self.buffer.is_empty() && self.buffer.capacity() > MOST_READ {
            // What one large frame took is not kept for as long as the worker.
            self.buffer = Vec::new();
        }
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn frames_that_arrive_byte_by_byte_are_read_whole_and_keep_digits() {
        let message = json!({"price": Value::parse("1.10").unwrap(), "name": "Rex"});
        let bytes = frame_bytes(|out| message.write_to(out), MOST_FROM_WORKER).unwrap();
        let mut frames = Frames::default();
        for byte in bytes.iter().chain(&bytes) {
            assert!(frames.buffer.len() < bytes.len());
            frames.buffer.push(*byte);
            if frames.buffer.len() == bytes.len() {
                assert_eq!(frames.next_frame(), Ok(Some(message.clone())));
            } else {
                assert_eq!(frames.next_frame(), Ok(None));
            }
        }
        assert_eq!(read_frame(&mut &*bytes).unwrap(), Some(message));
    }

    #[test]
    fn a_frame_that_is_too_long_or_no_json_is_malformed() {
        for bytes in [&[255, 255, 255, 255][..], &[0, 64, 0, 1], &[0, 0, 0, 1, b'{'], &[0, 0, 0, 0]]
        {
            let mut frames = Frames { buffer: bytes.to_vec() };
            assert_eq!(frames.next_frame(), Err(Malformed), "{bytes:?}");
        }
        assert!(read_frame(&mut &[255, 255, 255, 255, 0][..]).is_err());
        assert!(read_frame(&mut &[0, 0, 0, 9, b'{'][..]).is_err());
        assert!(read_frame(&mut &[][..]).unwrap().is_none());
    }
}

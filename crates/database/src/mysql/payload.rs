//! The payload of a packet, read front to back and written. Every reading is bounded by the payload.
//! <https://mariadb.com/kb/en/protocol-data-types/>, <https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html>

/// The rest of a payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a>(pub(super) &'a [u8]);

impl<'a> Payload<'a> {
    /// The next so many bytes.
    pub(super) fn bytes(&mut self, n_bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n_bytes)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number in as few bytes as it needs; `None` also for the mark of null.
    pub(super) fn length_encoded_integer(&mut self) -> Option<u64> {
        match self.byte()? {
            short @ 0..=0xfa => Some(short.into()),
            0xfc => self.u16().map(Into::into),
            0xfd => {
                let [low, middle, high] = self.array()?;
                Some(u32::from_le_bytes([low, middle, high, 0]).into())
            }
            0xfe => self.array().map(u64::from_le_bytes),
            _ => None,
        }
    }

    /// Bytes with their length before them.
    pub(super) fn length_encoded_bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length_encoded_integer()?;
        self.bytes(usize::try_from(length).ok()?)
    }

    /// Bytes up to a zero, which is left out.
    pub(super) fn until_zero(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.bytes(end);
        self.bytes(1)?;
        taken
    }
}

/// Writes bytes with their length before them.
pub(super) fn put_length_encoded_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = bytes.len() as u64;
    let [a, b, c, ..] = length.to_le_bytes();
    match length {
        0..=0xfa => out.push(a),
        0xfb..=0xffff => out.extend([0xfc, a, b]),
        0x1_0000..=0xff_ffff => out.extend([0xfd, a, b, c]),
        _ => {
            out.push(0xfe);
            out.extend(length.to_le_bytes());
        }
    }
    out.extend(bytes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_payload_that_ends_early_has_no_value() {
        for bytes in [&[][..], &[0xfc, 1], &[0xfd, 1, 2], &[0xfe, 1], &[5, 1], &[0xfb], &[0xff]] {
            assert_eq!(Payload(bytes).length_encoded_bytes(), None, "{bytes:?}");
        }
        assert_eq!(Payload(&[1, 2]).until_zero(), None);
    }

    proptest! {
        #[test]
        fn counted_bytes_are_read_as_they_were_written(
            length in prop_oneof![0_usize..300, Just(0xffff), Just(0x1_0000), Just(0xff_ffff), Just(0x100_0000)],
        ) {
            let bytes = vec![7; length];
            let mut written = Vec::new();
            put_length_encoded_bytes(&mut written, &bytes);
            written.push(9);
            let mut payload = Payload(&written);
            prop_assert_eq!(payload.length_encoded_bytes(), Some(&*bytes));
            prop_assert_eq!(payload.0, &[9]);
        }
    }
}

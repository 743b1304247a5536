//! The checksum CRC-32 of gzip (<https://www.rfc-editor.org/rfc/rfc1952#section-8>), which binary events carry.

/// The checksum of bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let [low, ..] = sum.to_le_bytes();
        TABLE.get(usize::from(low ^ byte)).copied().unwrap_or_default() ^ (sum >> 8)
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// The checksum of each single byte.
const TABLE: [u32; 256] = table();

#[expect(clippy::indexing_slicing, reason = "a constant: the compiler evaluates it")]
const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let (mut sum, mut bit) = (byte, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[byte as usize] = sum;
        byte += 1;
    }
    table
}

const POLYNOMIAL: u32 = 0xedb8_8320;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksums_are_those_of_gzip() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}

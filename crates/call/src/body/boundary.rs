//! Chooses the boundary between the parts of a multipart body: derived from the content, so that equal calls give equal
//! requests, and absent from it. Random numbers are deliberately not used.

/// A boundary that does not occur in any of `chunks`.
pub(super) fn unused_boundary(chunks: &[Vec<u8>]) -> String {
    let mut seed = chunks.iter().fold(OFFSET, |seed, chunk| fnv_hash(seed, chunk));
    loop {
        let boundary = format!("callgate-{seed:016x}");
        if !chunks.iter().any(|chunk| contains_boundary(chunk, boundary.as_bytes())) {
            return boundary;
        }
        // The content is finite, so some boundary does not occur in it.
        seed = seed.wrapping_add(1);
    }
}

/// FNV-1a.
fn fnv_hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

fn contains_boundary(chunk: &[u8], boundary: &[u8]) -> bool {
    chunk.windows(boundary.len()).any(|window| window == boundary)
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multipart_boundary_is_derived_from_its_content() {
        let content = vec![b"--callgate-".to_vec(), b"two".to_vec()];
        let first = unused_boundary(&content);
        assert_eq!(first, unused_boundary(&content));
        assert_ne!(first, unused_boundary(&[b"other".to_vec()]));
        assert!(first.len() <= 70, "RFC 2046 §5.1.1");
    }

    #[test]
    fn an_occurrence_of_a_boundary_in_the_content_is_found() {
        let hash = fnv_hash(OFFSET, b"");
        assert!(contains_boundary(b"x callgate-00 y", b"callgate-00"));
        assert!(!contains_boundary(b"callgate-0", b"callgate-00"));
        assert_eq!(unused_boundary(&[]), format!("callgate-{hash:016x}"));
    }
}

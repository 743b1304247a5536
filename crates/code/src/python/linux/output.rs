//! Reads what a program prints, and keeps its beginning.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The beginning of a stream.
pub(super) struct Output {
    bytes: Vec<u8>,
    most: usize,
    is_cut: bool,
}

impl Output {
    pub(super) const fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, is_cut: false }
    }

    /// Reads to the end. True where the stream ended within what is read at all; what is not kept is read so that a program which
    /// prints a little too much still comes to its end. A stream that breaks has ended, too.
    pub(super) async fn read_and_has_ended(
        &mut self,
        stream: &mut (impl AsyncRead + Unpin),
    ) -> bool {
        let mut piece = vec![0; 16 << 10];
        let mut n_passed = 0_usize;
        loop {
            let n_bytes = stream.read(&mut piece).await.unwrap_or(0);
            if n_bytes == 0 {
                return true;
            }
            let n_kept = n_bytes.min(self.most.saturating_sub(self.bytes.len()));
            self.bytes.extend(piece.iter().take(n_kept));
            self.is_cut |= n_kept < n_bytes;
            n_passed = n_passed.saturating_add(n_bytes - n_kept);
            if n_passed > MOST_PASSED {
                return false;
            }
        }
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The bytes, if nothing is cut.
    pub(super) fn uncut_bytes(&self) -> Option<&[u8]> {
        (!self.is_cut).then_some(&self.bytes)
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// The most bytes that are read beyond those that are kept.
pub(super) const MOST_PASSED: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use super::Output;

    #[tokio::test]
    async fn a_flood_is_kept_to_its_limit_and_read_to_another() {
        let mut output = Output::new(5);
        assert!(output.read_and_has_ended(&mut "abc".as_bytes()).await);
        assert!(!output.is_cut());
        assert!(output.read_and_has_ended(&mut "defg".as_bytes()).await);
        assert_eq!((output.text().as_str(), output.is_cut()), ("abcde", true));
        assert!(!output.read_and_has_ended(&mut tokio::io::repeat(b'x')).await);
        assert_eq!((output.text().len(), output.uncut_bytes()), (5, None));
    }
}

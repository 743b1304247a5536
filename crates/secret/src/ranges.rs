//! Ranges of a text that overlap, merged while they are reported: a text with many secrets in it takes no memory for each match.

use crate::secret::MASK;

/// Ranges of bytes, in any order. They take no more memory than the text that they are of, however many of them overlap.
///
/// ```
/// use callgate_secret::Ranges;
///
/// let mut ranges = Ranges::default();
/// ranges.push(7, 10);
/// ranges.push(4, 8);
/// assert_eq!(ranges.masked_bytes(b"my secret.").as_deref(), Some(&b"my s****"[..]));
/// ```
#[derive(Debug, Default)]
pub struct Ranges {
    ranges: Vec<(usize, usize)>,
    /// The number of ranges after they were merged the last time.
    n_merged: usize,
}

impl Ranges {
    /// Adds the range from `start` to before `end`.
    pub fn push(&mut self, start: usize, end: usize) {
        if let Some(last) = self.ranges.last_mut()
            && (last.0..=last.1).contains(&start)
        {
            last.1 = last.1.max(end);
            return;
        }
        if self.ranges.len() >= MOST_UNMERGED.max(self.n_merged.saturating_mul(2)) {
            self.merge();
        }
        self.ranges.push((start, end));
    }

    /// The ranges in their order; those that overlap or touch are one.
    pub fn into_merged(mut self) -> Vec<(usize, usize)> {
        self.merge();
        self.ranges
    }

    /// The bytes with a mask in place of each range; `None` if there is no range.
    pub fn masked_bytes(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let ranges = self.into_merged();
        if ranges.is_empty() {
            return None;
        }
        let mut masked = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for (start, end) in ranges {
            masked.extend_from_slice(bytes.get(done..start).unwrap_or_default());
            masked.extend_from_slice(MASK.as_bytes());
            done = end;
        }
        masked.extend_from_slice(bytes.get(done..).unwrap_or_default());
        Some(masked)
    }

    fn merge(&mut self) {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, before| {
            let is_joined = next.0 <= before.1;
            if is_joined {
                before.1 = before.1.max(next.1);
            }
            is_joined
        });
        self.n_merged = self.ranges.len();
    }
}

impl Extend<(usize, usize)> for Ranges {
    fn extend<T: IntoIterator<Item = (usize, usize)>>(&mut self, ranges: T) {
        ranges.into_iter().for_each(|(start, end)| self.push(start, end));
    }
}

/// The number of ranges that are kept before overlapping ones are looked for.
const MOST_UNMERGED: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_in_any_order_are_merged_where_they_touch() {
        let mut ranges = Ranges::default();
        ranges.extend([(8, 9), (0, 2), (5, 7), (2, 3), (6, 8), (20, 21)]);
        assert_eq!(ranges.into_merged(), [(0, 3), (5, 9), (20, 21)]);
    }

    #[test]
    fn many_ranges_of_a_text_take_no_more_memory_than_the_text() {
        let text = vec![b'a'; 4000];
        let mut ranges = Ranges::default();
        let mut most = 0;
        for start in (0..text.len() - 300).rev() {
            for length in 6..=300 {
                ranges.push(start, start + length);
                most = most.max(ranges.ranges.capacity() * size_of::<(usize, usize)>());
            }
        }
        assert!(most <= 2 * text.len(), "{most}");
        assert_eq!(ranges.masked_bytes(&text).unwrap(), b"****a");
    }
}

//! Shows the difference of two texts, line by line, for the error that names the nearest recording. Linear in the length of
//! the texts: equal lines at both ends are omitted, the lines between are shown whole.

use std::collections::BTreeSet;

/// The similarity of two recorded requests: equal first lines, then the number of shared lines, then the length of text
/// that agrees.
pub(crate) fn request_likeness(left: &str, right: &str) -> (bool, usize, usize) {
    let is_same_start = left.lines().next() == right.lines().next();
    let lines: BTreeSet<&str> = left.lines().collect();
    let n_shared = right.lines().filter(|line| lines.contains(line)).count();
    let n_agreeing =
        left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    (is_same_start, n_shared, n_agreeing)
}

/// The lines that are only in `before` after a `-`, and those that are only in `after` after a `+`.
pub(crate) fn differing_lines(before: &str, after: &str) -> String {
    let before: Vec<&str> = before.split('\n').collect();
    let after: Vec<&str> = after.split('\n').collect();
    let n_start = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
    let shorter = before.len().min(after.len());
    let from_end = before.iter().rev().zip(after.iter().rev());
    let n_end = from_end
        .take(shorter.saturating_sub(n_start))
        .take_while(|(before, after)| before == after)
        .count();
    let middle = |lines: &[&str], sign: char| -> String {
        let end = lines.len().saturating_sub(n_end);
        let middle = lines.get(n_start..end).unwrap_or_default();
        middle
            .iter()
            .flat_map(|line| [sign.to_string(), (*line).to_owned(), "\n".to_owned()])
            .collect()
    };
    middle(&before, '-') + &middle(&after, '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        assert_eq!(differing_lines(before, after), expected);
    }

    #[test]
    fn only_lines_that_differ_are_shown() {
        check("a\nb\nc", "a\nb\nc", "");
        check("a\nb\nc", "a\nx\nc", "-b\n+x\n");
        check("a\nc", "a\nb\nc", "+b\n");
        check("a\nb\nc", "a\nc", "-b\n");
        check("a\na", "a", "-a\n");
        check("a\nb\n", "a\nb", "-\n");
        check("", "x", "-\n+x\n");
    }

    #[test]
    fn the_request_of_the_same_line_is_nearer_than_one_with_more_shared_lines() {
        let sent = "GET /a\nx: 1\ny: 2";
        assert!(
            request_likeness("GET /a\nz: 3", sent) > request_likeness("GET /b\nx: 1\ny: 2", sent)
        );
        assert!(request_likeness("GET /ab\nx: 1", sent) > request_likeness("GET /b\nx: 1", sent));
    }
}

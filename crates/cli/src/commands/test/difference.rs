//! Compares two texts line by line: expected and actual. The lines that both share are left out.

use super::fixtures::REQUEST;

const SHOWN: usize = 40;

/// The lines that differ, `-` expected and `+` got: the lines between the shared ones at both ends.
pub(super) fn differing_lines(expected: &str, got: &str) -> String {
    let expected: Vec<_> = expected.lines().collect();
    let got: Vec<_> = got.lines().collect();
    let head = expected.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let shorter = expected.len().min(got.len()) - head;
    let ends = expected.iter().rev().zip(got.iter().rev());
    let tail = ends.take(shorter).take_while(|(a, b)| a == b).count();
    let middle = |lines: &[&str], sign: char| {
        let kept = lines.len() - head - tail;
        let shown = lines.iter().skip(head).take(kept).take(SHOWN);
        let mut text: String = shown.map(|line| format!("  {sign} {line}\n")).collect();
        if kept > SHOWN {
            text.push_str(&format!("  {sign} … {} more lines\n", kept - SHOWN));
        }
        text
    };
    let mut text = format!("  from line {}, `-` expected, `+` got:\n", head + 1);
    text.push_str(&middle(&expected, '-'));
    text.push_str(&middle(&got, '+'));
    if expected == got {
        text.push_str("  (only the line ends differ)\n");
    }
    text
}

pub(super) fn request_difference(expected: Option<&[u8]>, got: Option<&[u8]>) -> String {
    match (expected, got) {
        (None, Some(got)) => {
            format!("nothing may be sent, yet this was:\n{}", String::from_utf8_lossy(got))
        }
        (Some(_), None) => format!("`{REQUEST}` was not sent: nothing was"),
        (expected, got) => {
            let text = |bytes: Option<&[u8]>| {
                String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
            };
            format!("`{REQUEST}` differs\n{}", differing_lines(&text(expected), &text(got)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_shown() {
        assert_eq!(
            differing_lines("a\nb\nc\n", "a\nx\nc\n"),
            "  from line 2, `-` expected, `+` got:\n  - b\n  + x\n"
        );
        assert_eq!(
            differing_lines("a\n", "a\nb\n"),
            "  from line 2, `-` expected, `+` got:\n  + b\n"
        );
        assert!(differing_lines("a\n", "a").contains("line ends"));
    }
}

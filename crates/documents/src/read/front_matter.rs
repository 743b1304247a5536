//! Front matter of Markdown: YAML between two lines `---` at the beginning of a file, read within small limits.

use callgate_tool::Value;
use callgate_tree::Limits;

use super::Problem;

/// The front matter of a text, and the byte behind its last line.
pub(super) fn front_matter_and_end(text: &str) -> Option<(&str, usize)> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = text.get(start..)?.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let from = start + first.len();
    let mut to = from;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((text.get(from..to)?, to + line.len()));
        }
        to += line.len();
        if to - from > MOST_BYTES {
            return None;
        }
    }
    None
}

pub(super) fn read(matter: &str) -> Result<Value, Problem> {
    if matter.trim().is_empty() {
        return Ok(Value::Null);
    }
    let limits = Limits { bytes: MOST_BYTES, depth: 16, nodes: 4096, alias_bytes: MOST_BYTES };
    let read = callgate_tree::read(matter.as_bytes(), &limits);
    let node = read.map_err(|findings| {
        let position = findings.first().and_then(|finding| finding.position);
        let line = position.map_or(1, |position| position.line + 1);
        let help = "correct it: without metadata, no condition on it holds";
        Problem::new(line, "expected front matter in YAML, got other text", help)
    })?;
    Ok(node.value.to_value())
}

/// The most bytes of front matter. A text that begins with a rule has none.
const MOST_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, usize)>) {
        assert_eq!(front_matter_and_end(text), expected);
    }

    #[test]
    fn front_matter_is_between_two_rules_at_the_beginning() {
        check("---\na: 1\n---\nb", Some(("a: 1\n", 13)));
        check("---\r\na: 1\r\n...\r\nb", Some(("a: 1\r\n", 16)));
        check("\u{feff}---\n---", Some(("", 10)));
        check("---\na: 1\n", None);
        check("\n---\na: 1\n---\n", None);
        check("", None);
    }
}

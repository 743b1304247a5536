//! Headings and fences of Markdown (`CommonMark` §4.2, §4.3, §4.5), line by line.

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Heading<'t> {
    pub(super) level: usize,
    pub(super) title: &'t str,
}

/// The fence of a block of code that is open: its sign and its length.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Fence(char, usize);

/// The heading in a line, which the next line may underline.
pub(super) fn read_heading<'t>(
    line: &'t str,
    next: &str,
    before_is_empty: bool,
) -> Option<Heading<'t>> {
    let text = unindented_line(line)?;
    let level = text.len() - text.trim_start_matches('#').len();
    if (1..=6).contains(&level) {
        let title = text.get(level..)?;
        if !title.starts_with([' ', '\t']) && !title.trim().is_empty() {
            return None;
        }
        let title = title.trim();
        let closed = title.trim_end_matches('#');
        let is_closed = closed.is_empty() || closed.ends_with([' ', '\t']);
        return Some(Heading { level, title: if is_closed { closed.trim() } else { title } });
    }
    let title = text.trim();
    let is_text = before_is_empty
        && !title.is_empty()
        && !title.starts_with(['-', '*', '>', '|', '`', '~', '=']);
    let under = unindented_line(next)?.trim_end();
    let level = match under.chars().next().filter(|_| is_text && under.len() > 1)? {
        '=' if under.chars().all(|c| c == '=') => 1,
        '-' if under.chars().all(|c| c == '-') => 2,
        _ => return None,
    };
    Some(Heading { level, title })
}

/// The fence that is open behind a line.
pub(super) fn fence_after_line(line: &str, open: Option<Fence>) -> Option<Fence> {
    let Some(text) = unindented_line(line) else { return open };
    let Some(sign) = text.chars().next().filter(|c| matches!(c, '`' | '~')) else { return open };
    let length = text.len() - text.trim_start_matches(sign).len();
    if let Some(Fence(opened, least)) = open {
        let ends = opened == sign && length >= least && text.trim_end().len() == length;
        return if ends { None } else { open };
    }
    let is_inline = sign == '`' && text.get(length..).is_some_and(|info| info.contains('`'));
    (length >= 3 && !is_inline).then_some(Fence(sign, length))
}

/// The line without up to three spaces before it; `None` for code that is indented.
fn unindented_line(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() < 4 && !text.starts_with('\t')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, next: &str, expected: Option<(usize, &str)>) {
        let heading = read_heading(line, next, true);
        assert_eq!(heading.map(|heading| (heading.level, heading.title)), expected);
    }

    #[test]
    fn headings_are_found_in_both_forms() {
        check("# One\n", "", Some((1, "One")));
        check("  ### Two ##\n", "", Some((3, "Two")));
        check("#\n", "", Some((1, "")));
        check("## C#\n", "", Some((2, "C#")));
        check("#hash\n", "", None);
        check("    # code\n", "", None);
        check("####### seven\n", "", None);
        check("Title\n", "=====\n", Some((1, "Title")));
        check("Title\n", "---\n", Some((2, "Title")));
        check("- item\n", "---\n", None);
        check("Title\n", "- item\n", None);
    }

    #[test]
    fn a_fence_ends_with_one_of_its_kind() {
        let open = fence_after_line("```rust\n", None);
        assert_eq!(open, Some(Fence('`', 3)));
        assert_eq!(fence_after_line("~~~\n", open), open);
        assert_eq!(fence_after_line("``` x\n", open), open);
        assert_eq!(fence_after_line("````\n", open), None);
        assert_eq!(fence_after_line("```a`b\n", None), None);
    }
}

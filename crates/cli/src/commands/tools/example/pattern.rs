//! A text for a pattern: the first alternative, a usual character of a class, the least repetitions. Look-around stands for no
//! text, so that the text may not match: a call checks it.

use regex_syntax::{
    Parser,
    hir::{Class, Hir, HirKind, Repetition},
};

/// A short text that a pattern was written for; `None` if the pattern cannot be read.
pub(super) fn matching_text(pattern: &str) -> Option<String> {
    let pattern = Parser::new().parse(&without_look_around(pattern)).ok()?;
    let mut text = String::new();
    push_matching_text(&mut text, &pattern).then_some(text)
}

/// Adds a text that a part of the pattern stands for; false if it is too long, or there is none.
fn push_matching_text(text: &mut String, part: &Hir) -> bool {
    let is_added = match part.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => {
            text.push_str(&String::from_utf8_lossy(&literal.0));
            true
        }
        HirKind::Class(class) => {
            text.extend(character_of_class(class));
            true
        }
        HirKind::Repetition(Repetition { min, sub, .. }) => {
            let before = text.len();
            // A part that may be missing is shown once, and an empty one is not repeated.
            push_matching_text(text, sub)
                && (text.len() == before || (1..*min).all(|_| push_matching_text(text, sub)))
        }
        HirKind::Capture(group) => push_matching_text(text, &group.sub),
        HirKind::Concat(parts) => parts.iter().all(|part| push_matching_text(text, part)),
        HirKind::Alternation(parts) => {
            parts.first().is_some_and(|part| push_matching_text(text, part))
        }
    };
    is_added && text.len() <= MOST_BYTES
}

fn character_of_class(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let has = |c: char| class.iter().any(|range| (range.start()..=range.end()).contains(&c));
    let usual = USUAL_CHARACTERS.chars().find(|c| has(*c));
    usual.or_else(|| class.iter().next().map(regex_syntax::hir::ClassUnicodeRange::start))
}

fn without_look_around(pattern: &str) -> String {
    let (mut kept, mut rest) = (String::new(), pattern);
    while let Some(at) = LOOK_AROUND.iter().filter_map(|start| rest.find(start)).min() {
        let (before, group) = rest.split_at(at);
        kept.push_str(before);
        rest = text_after_group(group);
    }
    kept + rest
}

fn text_after_group(text: &str) -> &str {
    let (mut depth, mut is_escaped) = (0_usize, false);
    let is_end = |c: char| {
        match c {
            _ if is_escaped => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        depth == 0
    };
    text.split_once(is_end).unwrap_or_default().1
}

const LOOK_AROUND: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];
/// The characters that a class is searched for first.
const USUAL_CHARACTERS: &str = "abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. ";
const MOST_BYTES: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_a_pattern_matches_it() {
        for (pattern, expected) in [
            ("^MG[0-9a-fA-F]{4}$", Some("MGaaaa")),
            ("projects/[^/]+/notes/[^/]+", Some("projects/a/notes/a")),
            ("^(?:red|green)-\\d{2,}$", Some("red-11")),
            ("^(?=.*x)[A-Z]\\.(?<n>b)?", Some("A.b")),
            ("[\\w.-]+@x", Some("a@x")),
            ("\\u0041\\x42\\p{L}", Some("ABa")),
            ("a{0,3}b{0}", Some("a")),
            ("[^a-z]*?", Some("1")),
            ("(", None),
            ("[", None),
            ("a)", None),
            ("a{9999}", None),
        ] {
            assert_eq!(matching_text(pattern).as_deref(), expected, "{pattern}");
        }
    }
}

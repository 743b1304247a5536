//! Removes markup and invisible characters from texts of descriptions that models and people read.

use std::{borrow::Cow, fmt::Display};

use crate::{
    code::Code,
    findings::Findings,
    html_text::{PlainText, plain_text},
};

#[derive(Debug)]
pub(crate) struct Readable {
    pub(crate) text: String,
    pub(crate) n_hidden: usize,
}

/// A text without markup and invisible characters.
pub(crate) fn text_without_markup(text: &str) -> Readable {
    let PlainText { text, n_hidden } = plain_text(text);
    Readable { text: visible_text(text.into_owned()), n_hidden }
}

/// A text without markup and invisible characters, borrowed where it has none.
pub(crate) fn visible_text_without_markup(text: &str) -> Cow<'_, str> {
    match plain_text(text).text {
        Cow::Borrowed(text) if !text.contains(is_hidden) => Cow::Borrowed(text),
        text => Cow::Owned(visible_text(text.into_owned())),
    }
}

pub(crate) fn report_hidden(n_hidden: usize, at: impl Display, findings: &mut Findings) {
    if n_hidden > 0 {
        let message = "expected texts that people see, got a comment, a script or a style";
        let help = "nothing, unless it should be read: then write it as text; it is left out";
        findings.note(Code::HiddenText, at, message.to_owned(), help);
    }
}

/// A text without invisible characters and surrounding space.
pub(crate) fn visible_trimmed(text: &str) -> String {
    text.trim().chars().filter(|c| !is_hidden(*c)).collect()
}

/// A text without invisible characters, otherwise unchanged.
pub(crate) fn visible_text(text: String) -> String {
    if text.contains(is_hidden) { text.chars().filter(|c| !is_hidden(*c)).collect() } else { text }
}

/// True for an invisible character: control characters, zero-width ones, changes of direction.
#[inline]
pub fn is_hidden(c: char) -> bool {
    let is_space = matches!(c, '\n' | '\t');
    let is_format = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    (c.is_control() && !is_space) || is_format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_of_a_description_are_removed() {
        for (text, expected) in [
            ("a\u{202e}b\u{7}c\u{200b}d\u{feff}", "abcd"),
            (" two\r\nlines\t", " two\nlines\t"),
            ("Gr\u{fc}\u{df}e \u{1f44b}", "Gr\u{fc}\u{df}e \u{1f44b}"),
        ] {
            assert_eq!(visible_text(text.to_owned()), expected);
            assert_eq!(visible_trimmed(text), expected.trim());
        }
    }
}

//! Texts as a terminal gets them: the command's own colours stay, and everything else that a terminal obeys is an escape.

use std::{
    borrow::Cow,
    io::{self, Write},
    str,
};

use callgate_tool::visible;

/// The text with its colours; other control sequences are shown.
pub(super) fn styled(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return visible(text);
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        shown.push_str(&visible(before));
        let style = colours(after);
        shown.push_str(&style.map_or_else(|| visible("\u{1b}"), |_| "\u{1b}".into()));
        shown.push_str(style.unwrap_or_default());
        rest = style.and_then(|style| after.strip_prefix(style)).unwrap_or(after);
    }
    shown.push_str(&visible(rest));
    Cow::Owned(shown)
}

/// The control sequence of colours that a text begins with, after its ESC (ECMA-48 §8.3.117): weight and foreground, nothing
/// that hides a text.
fn colours(text: &str) -> Option<&str> {
    let (parameters, _) = text.strip_prefix('[')?.split_once('m')?;
    let is_colour = |parameter: &str| {
        matches!(parameter, "" | "0" | "1" | "2" | "4")
            || parameter.len() == 2 && matches!(parameter.as_bytes(), [b'3' | b'9', b'0'..=b'7'])
    };
    let is_ours = parameters.split(';').all(is_colour);
    is_ours.then(|| text.get(..parameters.len().saturating_add(2)))?
}

/// Writes a long text as [`visible`] shows it.
pub(super) struct Screen<W> {
    inner: W,
    /// The beginning of a character whose other bytes are to come.
    rest: Vec<u8>,
}

impl<W> Screen<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, rest: Vec::new() }
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.rest.split_off(whole);
        let text = String::from_utf8_lossy(&self.rest);
        self.inner.write_all(visible(&text).as_bytes())?;
        self.rest = rest;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.rest);
        self.inner.write_all(visible(&text).as_bytes())?;
        self.rest.clear();
        self.inner.flush()
    }
}

const ESCAPE: char = '\u{1b}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_reach_a_terminal() {
        for (text, expected) in [
            ("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: a\n", "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: a\n"),
            ("\u{1b}[1;34ma", "\u{1b}[1;34ma"),
            ("\u{1b}[8mhidden", "\\u001b[8mhidden"),
            ("\u{1b}[2J\u{1b}]0;t\u{7}", "\\u001b[2J\\u001b]0;t\\u0007"),
            ("\u{1b}[38;5;0mm", "\\u001b[38;5;0mm"),
            ("\u{9b}31m\u{202e}", "\\u009b31m\\u202e"),
            ("\u{1b}", "\\u001b"),
        ] {
            assert_eq!(styled(text), expected, "{text:?}");
        }
    }

    #[test]
    fn characters_written_in_pieces_are_printed_whole() {
        let mut screen = Screen::new(Vec::new());
        for byte in "caf\u{e9} \u{202e}\u{e0041}.".as_bytes() {
            screen.write_all(&[*byte]).unwrap();
        }
        screen.flush().unwrap();
        assert_eq!(String::from_utf8(screen.inner).unwrap(), "caf\u{e9} \\u202e\\udb40\\udc41.");
    }
}

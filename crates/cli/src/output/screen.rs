//! Texts as a terminal gets them: the command's own colours stay, and everything else that a terminal obeys is an escape.

use std::{
    borrow::Cow,
    hash::{BuildHasher as _, RandomState},
    io::{self, Write},
    str,
    sync::LazyLock,
};

use callgate_tool::escape_invisible;

/// Begins each style of the command itself. Others cannot know it, so that no text of theirs has a style.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\u{1b}{:016x}", RandomState::new().hash_one(())));

/// The beginning of a style, by its parameters (ECMA-48 §8.3.117): `1` for bold, `0` for none.
pub(super) fn marked_style_start(parameters: &str) -> String {
    format!("{}[{parameters}m", *MARK)
}

/// A text whose every control sequence is one of the command's own.
pub(super) fn mark_own_escapes(text: &str) -> String {
    text.replace(ESCAPE, &MARK)
}

/// The text with the colours of the command; all other control sequences are shown.
pub(super) fn text_with_own_colours(text: &str) -> Cow<'_, str> {
    let mut parts = text.split(MARK.as_str());
    let first = parts.next().unwrap_or_default();
    let mut shown = escape_invisible(first);
    for part in parts {
        let style = leading_colours(part).unwrap_or_default();
        if !style.is_empty() {
            shown.to_mut().push(ESCAPE);
            shown.to_mut().push_str(style);
        }
        let rest = part.strip_prefix(style).unwrap_or(part);
        shown.to_mut().push_str(&escape_invisible(rest));
    }
    shown
}

/// The control sequence of colours that a text begins with, after its ESC (ECMA-48 §8.3.117): weight and foreground, nothing
/// that hides a text.
fn leading_colours(text: &str) -> Option<&str> {
    let (parameters, _) = text.strip_prefix('[')?.split_once('m')?;
    let is_colour = |parameter: &str| {
        matches!(parameter, "" | "0" | "1" | "2" | "4")
            || parameter.len() == 2 && matches!(parameter.as_bytes(), [b'3' | b'9', b'0'..=b'7'])
    };
    let is_ours = parameters.split(';').all(is_colour);
    is_ours.then(|| text.get(..parameters.len().saturating_add(2)))?
}

/// Writes a long text as [`escape_invisible`] shows it.
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
        self.inner.write_all(escape_invisible(&text).as_bytes())?;
        self.rest = rest;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.rest);
        self.inner.write_all(escape_invisible(&text).as_bytes())?;
        self.rest.clear();
        self.inner.flush()
    }
}

const ESCAPE: char = '\u{1b}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_of_the_command_reach_a_terminal() {
        for (text, own, foreign) in [
            (
                "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: a\n",
                "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: a\n",
                "\\u001b[1m\\u001b[91merror\\u001b[0m: a\n",
            ),
            ("\u{1b}[1;34ma", "\u{1b}[1;34ma", "\\u001b[1;34ma"),
            ("\u{1b}[8mhidden", "[8mhidden", "\\u001b[8mhidden"),
            ("\u{9b}31m\u{202e}", "\\u009b31m\\u202e", "\\u009b31m\\u202e"),
            ("\u{1b}", "", "\\u001b"),
        ] {
            assert_eq!(text_with_own_colours(&mark_own_escapes(text)), own, "{text:?}");
            assert_eq!(text_with_own_colours(text), foreign, "{text:?}");
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

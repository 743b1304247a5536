//! Makes foreign text readable: removes terminal escapes, control characters and invisible characters. It keeps line breaks,
//! also those of Windows, and tabs. Text comes from `response`.

use callgate_openapi::is_hidden;

pub(crate) fn visible_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_terminal_escape(&mut characters),
            '\n' | '\t' => out.push(character),
            // A file that is written back keeps its line ends. A return alone would write over its line.
            '\r' if characters.peek() == Some(&'\n') => out.push(character),
            '\r' => out.push('\n'),
            _ if is_zero_width_joiner(character) && ends_with_joinable_character(&out) => {
                out.push(character);
            }
            _ if is_invisible_or_control(character) => {}
            _ => out.push(character),
        }
    }
    out
}

/// The number of characters that [`visible_text`] removes or replaces; each escape sequence counts as one.
pub(crate) fn n_invisible_characters(text: &str) -> usize {
    if visible_text_if_changed(text).is_none() {
        return 0;
    }
    let n_joiners = |text: &str| text.chars().filter(|one| is_zero_width_joiner(*one)).count();
    let removed = |one: &char| {
        is_invisible_or_control(*one) && !matches!(one, '\r') && !is_zero_width_joiner(*one)
    };
    let n_joined = n_joiners(text).saturating_sub(n_joiners(&visible_text(text)));
    let n_returns = text.matches('\r').count() - text.matches("\r\n").count();
    text.chars().filter(removed).count() + n_joined + n_returns
}

/// A cleaned copy of `text`; `None` in the usual case that a reader sees all of it.
pub(crate) fn visible_text_if_changed(text: &str) -> Option<String> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let is_seen =
        text.as_bytes().iter().all(is_plain) || !text.chars().any(is_invisible_or_control);
    (!is_seen).then(|| visible_text(text))
}

/// True for a character that hides text from people but not from models, and for most controls.
pub(crate) fn is_invisible_or_control(character: char) -> bool {
    // Selectors of variants can spell a text.
    is_hidden(character) || matches!(character, '\u{e0100}'..='\u{e01ef}')
}

/// The zero-width joiner and non-joiner, which Persian, Hindi and emoji need.
fn is_zero_width_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Returns true if a joiner joins the last written character to something: between ASCII letters it only hides something,
/// and several in a row form an invisible message.
fn ends_with_joinable_character(written: &str) -> bool {
    written.chars().next_back().is_some_and(|last| !last.is_ascii() && !is_zero_width_joiner(last))
}

/// Skips a terminal escape sequence after its ESC (ECMA-48 §5.4, §5.6).
fn skip_terminal_escape(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match characters.next() {
        Some('[') => {
            // A control sequence ends with its first byte from `@` to `~`.
            while characters.next_if(|one| !matches!(one, '@'..='~')).is_some() {}
            characters.next();
        }
        Some(']') => {
            while characters.next_if(|one| !matches!(one, '\u{7}' | '\u{1b}')).is_some() {}
            if characters.next() == Some('\u{1b}') {
                characters.next_if_eq(&'\\');
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_and_terminal_escapes_are_removed() {
        for (text, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("a\r\nb\rc\r\r\n", "a\r\nb\nc\n\r\n"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://h\u{1b}\\link", "link"),
            ("a\u{0}b\u{8}\u{7f}\u{85}c", "abc"),
            ("a\u{200b}b\u{202e}c\u{feff}d\u{e0041}", "abcd"),
            (
                "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
                "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            ),
            (
                "\u{1f468}\u{200d}\u{1f469}\u{2764}\u{fe0f}\u{200d}\u{1f525}",
                "\u{1f468}\u{200d}\u{1f469}\u{2764}\u{fe0f}\u{200d}\u{1f525}",
            ),
            ("\u{915}\u{94d}\u{200d} x", "\u{915}\u{94d}\u{200d} x"),
            ("to\u{200d}ken\u{200c}", "token"),
            ("\u{645}\u{200c}\u{200d}\u{200c}\u{645}", "\u{645}\u{200c}\u{645}"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(visible_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn removed_invisible_characters_are_counted() {
        for (text, expected) in [
            ("plain\r\n", 0),
            ("a\rb\r\r\n", 2),
            ("\u{645}\u{200c}\u{645}", 0),
            ("a\u{200b}b\u{200d}c", 2),
            ("\u{1b}[31mred\u{1b}[0m", 2),
        ] {
            assert_eq!(n_invisible_characters(text), expected, "{text:?}");
        }
    }
}

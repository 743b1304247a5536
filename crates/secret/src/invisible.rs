//! Recognizes the invisible parts of a text: terminal escapes, control characters and line breaks, characters without a
//! shape. Other modules decide what to do: responses lose some of them, and a secret is found across all of them.

/// Returns true if a character has no shape of its own (Unicode, `Default_Ignorable_Code_Point`, and the interlinear
/// marks).
pub fn is_shapeless(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The length of the one invisible item that the bytes begin with; `None` if they begin with something visible.
pub(crate) fn invisible_prefix_length(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        0x1b => Some(terminal_escape_length(bytes)),
        byte if byte.is_ascii() => byte.is_ascii_control().then_some(1),
        _ => {
            let character = leading_non_ascii_char(bytes)?;
            let is_unseen = character.is_control() || is_shapeless(character);
            is_unseen.then(|| character.len_utf8())
        }
    }
}

fn leading_non_ascii_char(bytes: &[u8]) -> Option<char> {
    let length = match bytes.first()? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    std::str::from_utf8(bytes.get(..length)?).ok()?.chars().next()
}

/// The length of a terminal's escape sequence (ECMA-48 §5.4, §5.6); if it does not end, of the escape and the next
/// character.
fn terminal_escape_length(bytes: &[u8]) -> usize {
    let within = bytes.get(..MAX_ESCAPE).unwrap_or(bytes);
    let rest = within.get(2..).unwrap_or_default();
    let length = match bytes.get(1) {
        // A control sequence ends with its first byte from `@` to `~`.
        Some(b'[') => {
            let end = rest.iter().position(|byte| matches!(byte, b'@'..=b'~'));
            end.map(|end| end + 3)
        }
        Some(b']') => {
            let end = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b));
            end.map(|end| {
                let is_string_end =
                    rest.get(end) == Some(&0x1b) && rest.get(end + 1) == Some(&b'\\');
                end + 3 + usize::from(is_string_end)
            })
        }
        _ => None,
    };
    let simple = || 1 + bytes.get(1..).and_then(leading_non_ascii_char).map_or(1, char::len_utf8);
    length.unwrap_or_else(simple).min(bytes.len())
}

/// The longest escape sequence that is read as a whole.
const MAX_ESCAPE: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_an_invisible_sequence_is_measured_in_bytes() {
        for (text, expected) in [
            ("", None),
            ("a", None),
            ("\u{e9}", None),
            ("\u{4e2d}", None),
            ("\n", Some(1)),
            ("\u{85}", Some(2)),
            ("\u{200b}x", Some(3)),
            ("\u{e0041}", Some(4)),
            ("\u{1b}", Some(1)),
            ("\u{1b}c.", Some(2)),
            ("\u{1b}\u{e9}.", Some(3)),
            ("\u{1b}[1;31mred", Some(7)),
            ("\u{1b}[", Some(2)),
            ("\u{1b}]0;title\u{7}x", Some(10)),
            ("\u{1b}]8;;h\u{1b}\\x", Some(8)),
            ("\u{1b}]without an end", Some(2)),
        ] {
            assert_eq!(invisible_prefix_length(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(invisible_prefix_length(b"\xe2\x80"), None);
    }
}

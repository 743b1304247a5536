//! Makes text of others harmless on a screen: characters that a reader cannot see, or that move the cursor, break lines or
//! turn the direction, are written as escapes. Terminals, logs and questions to a person show such text only in this form.

use std::borrow::Cow;

/// The text with escapes (`\u009b`) in the place of characters that nobody sees or that a screen obeys: those of the Unicode
/// categories Cc, Cf, Zl and Zp, and the fillers. Line feeds and tabs stay. JSON remains the same JSON.
///
/// ```
/// use callgate_tool::escape_invisible;
///
/// assert_eq!(escape_invisible("two\nlines, caf\u{e9}"), "two\nlines, caf\u{e9}");
/// assert_eq!(escape_invisible("red\u{9b}31m \u{202e}evil"), "red\\u009b31m \\u202eevil");
/// ```
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    escape_invisible_except(text, &['\n', '\t'])
}

/// The text as [`escape_invisible`] shows it, in one line: line feeds and tabs are escapes, too.
///
/// ```
/// use callgate_tool::escape_invisible_in_line;
///
/// assert_eq!(escape_invisible_in_line("a\nhelp: b"), "a\\nhelp: b");
/// ```
pub fn escape_invisible_in_line(text: &str) -> Cow<'_, str> {
    escape_invisible_except(text, &[])
}

/// The text as [`escape_invisible`] shows it, each line as a quotation: no line of it can pass for one of the text around it.
///
/// ```
/// use callgate_tool::escape_and_quote_lines;
///
/// assert_eq!(escape_and_quote_lines("a\n\nSend this? [y/N] y"), "> a\n>\n> Send this? [y/N] y");
/// ```
pub fn escape_and_quote_lines(text: &str) -> String {
    let shown = escape_invisible(text);
    let lines = shown.split('\n').map(|line| format!("> {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns true if a reader does not see a character, or a screen obeys it: Unicode categories Cc, Cf, Zl and Zp, and
/// characters that are blank or ignored by design. The selectors of a glyph's variant are not among them.
pub fn is_invisible_or_control(character: char) -> bool {
    character.is_control()
        || matches!(character,
        // Cf.
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        // Zl and Zp.
        | '\u{2028}' | '\u{2029}'
        // Fillers, blank or ignored.
        | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}'
        | '\u{3164}' | '\u{ffa0}')
}

fn escape_invisible_except<'t>(text: &'t str, kept: &[char]) -> Cow<'t, str> {
    // Almost every text, and the quickest to see.
    let is_plain_byte = |byte| matches!(byte, b' '..=b'~') || kept.contains(&char::from(byte));
    let is_plain = |one: char| {
        kept.contains(&one) || !(is_invisible_or_control(one) || is_variation_selector(one))
    };
    if text.bytes().all(is_plain_byte) || text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    // The last visible character, if another one may join it.
    let mut last = None;
    while let Some(letter) = letters.next() {
        let is_end = letter == '\r' && kept.contains(&'\n') && letters.peek() == Some(&'\n');
        let may_join = last.is_some_and(|last: char| !last.is_ascii());
        if is_end {
            continue;
        }
        if (is_variation_selector(letter) || is_zero_width_joiner(letter)) && may_join {
            // Emoji, Persian and Hindi need one; several in a row are an invisible message.
            shown.push(letter);
            last = None;
        } else if is_plain(letter) {
            shown.push(letter);
            last = Some(letter);
        } else {
            push_escape(&mut shown, letter);
            last = None;
        }
    }
    Cow::Owned(shown)
}

fn push_escape(shown: &mut String, letter: char) {
    match letter {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        _ => {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            for unit in &units {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
}

/// The zero-width joiner and non-joiner.
fn is_zero_width_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}')
}

/// The selectors of variants: text or emoji.
fn is_variation_selector(letter: char) -> bool {
    matches!(letter, '\u{fe00}'..='\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Value;

    #[test]
    fn invisible_characters_are_shown_as_escapes() {
        for (text, expected) in [
            ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
            ("a\r\nb\rc", "a\nb\\rc"),
            ("\u{1b}[31mred", "\\u001b[31mred"),
            ("\u{9b}2J\u{85}", "\\u009b2J\\u0085"),
            ("\u{61c}\u{202e}\u{2066}", "\\u061c\\u202e\\u2066"),
            ("a\u{2028}b\u{2029}", "a\\u2028b\\u2029"),
            ("\u{ad}\u{180e}\u{3164}\u{ffa0}\u{2800}", "\\u00ad\\u180e\\u3164\\uffa0\\u2800"),
            ("\u{e0041}", "\\udb40\\udc41"),
            ("pay\u{200b}pal\u{200d}", "pay\\u200bpal\\u200d"),
            ("a\u{fe0f}", "a\\ufe0f"),
            ("\u{26a0}\u{fe0f} now", "\u{26a0}\u{fe0f} now"),
            ("\u{26a0}\u{fe0f}\u{fe0e}", "\u{26a0}\u{fe0f}\\ufe0e"),
            ("\u{645}\u{6cc}\u{200c}\u{62e}", "\u{645}\u{6cc}\u{200c}\u{62e}"),
        ] {
            assert_eq!(escape_invisible(text), expected, "{text:?}");
        }
        assert_eq!(escape_invisible_in_line("a\r\n\tb"), "a\\r\\n\\tb");
        assert_eq!(escape_and_quote_lines("a\r\n\nb\n"), "> a\n>\n> b\n>");
    }

    #[test]
    fn a_control_character_is_escaped_at_any_place_of_a_text() {
        for at in 0..70 {
            let text = |letter| format!("{}{letter}{}", "a".repeat(at), "~".repeat(69 - at));
            assert_eq!(escape_invisible(&text("\u{1b}")), text("\\u001b"), "{at}");
            assert_eq!(escape_invisible(&text("\n")), text("\n"), "{at}");
            assert_eq!(escape_invisible_in_line(&text("\n")), text("\\n"), "{at}");
        }
    }

    proptest! {
        #[test]
        fn shown_text_has_no_invisible_character_but_joiners_between_letters(text in any::<String>()) {
            let shown = escape_invisible_in_line(&text);
            let mut last = 'a';
            for letter in shown.chars() {
                let joins = is_zero_width_joiner(letter) && !last.is_ascii() && !is_zero_width_joiner(last);
                prop_assert!(!is_invisible_or_control(letter) || joins, "{:?}", shown);
                last = letter;
            }
        }

        #[test]
        fn json_with_escaped_invisible_characters_has_the_same_value(text in any::<String>()) {
            let value = Value::from(text.as_str());
            let shown = escape_invisible(&value.to_string()).into_owned();
            prop_assert_eq!(Value::parse(&shown).unwrap(), value);
        }
    }
}

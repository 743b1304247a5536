//! Makes foreign text readable: terminal escapes, control characters and characters nobody sees are taken out, HTML
//! is reduced to its text. It keeps line breaks and tabs. Text comes from `response`.

/// `text` without what a reader cannot see.
pub(crate) fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            '\n' | '\t' => out.push(character),
            '\r' if characters.peek() != Some(&'\n') => out.push('\n'),
            _ if character.is_control() || is_invisible(character) => {}
            _ => out.push(character),
        }
    }
    out
}

/// The text of an HTML page: no tags, no scripts and styles, white space collapsed.
pub(crate) fn html_to_text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        out.push(' ');
        rest = after_tag(after);
    }
    out.push_str(rest);
    let mut text = cleaned(&out);
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        if text.contains(entity) {
            text = text.replace(entity, character);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What follows a tag, and the whole element when nobody reads it.
fn after_tag(after: &str) -> &str {
    for (open, close) in [("script", "</script"), ("style", "</style"), ("!--", "-->")] {
        let starts = after.get(..open.len()).is_some_and(|name| name.eq_ignore_ascii_case(open));
        if !starts {
            continue;
        }
        let end = after.to_ascii_lowercase().find(close);
        let element_end = end.and_then(|end| after.get(end..)).unwrap_or_default();
        return element_end.split_once('>').map_or("", |(_, rest)| rest);
    }
    after.split_once('>').map_or("", |(_, rest)| rest)
}

/// Skips a terminal escape sequence after its ESC (ECMA-48 §5.4, §5.6).
fn skip_escape(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
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

/// Zero-width, directional and tag characters, which hide text from people and not from models.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_taken_out() {
        for (text, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://h\u{1b}\\link", "link"),
            ("a\u{0}b\u{8}\u{7f}\u{85}c", "abc"),
            ("a\u{200b}b\u{202e}c\u{feff}d\u{e0041}", "abcd"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(cleaned(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_page_is_reduced_to_its_text() {
        for (html, expected) in [
            ("<p>a</p><p>b</p>", "a b"),
            ("<script>x < y</script>ok", "ok"),
            ("<!-- no --><b>yes</b>", "yes"),
            ("1 &lt; 2 &amp;lt;", "1 < 2 &lt;"),
            ("<unclosed", ""),
            ("a < b", "a"),
        ] {
            assert_eq!(html_to_text(html), expected, "{html:?}");
        }
    }
}
